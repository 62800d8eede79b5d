package io.rxe.wire;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Every field of the headers by its bits on the wire, counted from the header's first bit, so that the product's own offsets and masks are
 * not used to check themselves.
 */
public enum HeaderField {
    BTH_OPCODE(Bth.LENGTH, 0, 8, Bth::opcode),
    BTH_SOLICITED(Bth.LENGTH, 8, 1, bit(Bth::isSolicited)),
    BTH_MIGRATION(Bth.LENGTH, 9, 1, bit(Bth::isMigrationRequest)),
    BTH_PAD_COUNT(Bth.LENGTH, 10, 2, Bth::padCount),
    BTH_VERSION(Bth.LENGTH, 12, 4, Bth::transportVersion),
    BTH_PARTITION_KEY(Bth.LENGTH, 16, 16, Bth::partitionKey),
    BTH_FECN(Bth.LENGTH, 32, 1, bit(Bth::isFecn)),
    BTH_BECN(Bth.LENGTH, 33, 1, bit(Bth::isBecn)),
    BTH_TIMED(Bth.LENGTH, 34, 1, bit(Bth::isTimed)),
    BTH_REQUEST_WAIT(Bth.LENGTH, 35, 5, Bth::requestWait),
    BTH_QPN(Bth.LENGTH, 40, 24, Bth::destinationQpn),
    BTH_ACK_REQUESTED(Bth.LENGTH, 64, 1, bit(Bth::isAckRequested)),
    BTH_HOST_DELAY(Bth.LENGTH, 65, 5, Bth::hostDelay),
    BTH_REPEATED(Bth.LENGTH, 70, 1, bit(Bth::isRepeated)),
    BTH_MARK(Bth.LENGTH, 71, 1, bit(Bth::isMarked)),
    BTH_PSN(Bth.LENGTH, 72, 24, Bth::psn),
    RETH_ADDRESS(Reth.LENGTH, 0, 64, Reth::virtualAddress),
    RETH_KEY(Reth.LENGTH, 64, 32, word(Reth::rKey)),
    RETH_LENGTH(Reth.LENGTH, 96, 32, Reth::dmaLength),
    AETH_SYNDROME(Aeth.LENGTH, 0, 8, Aeth::syndrome),
    AETH_MSN(Aeth.LENGTH, 8, 24, Aeth::messageSequenceNumber),
    DETH_KEY(Deth.LENGTH, 0, 32, word(Deth::queueKey)),
    DETH_QPN(Deth.LENGTH, 40, 24, Deth::sourceQpn),
    ATOMIC_ADDRESS(AtomicEth.LENGTH, 0, 64, AtomicEth::virtualAddress),
    ATOMIC_KEY(AtomicEth.LENGTH, 64, 32, word(AtomicEth::rKey)),
    ATOMIC_SWAP_OR_ADD(AtomicEth.LENGTH, 96, 64, AtomicEth::swapOrAdd),
    ATOMIC_COMPARE(AtomicEth.LENGTH, 160, 64, AtomicEth::compare),
    ATOMICACK_ORIGINAL(AtomicAckEth.LENGTH, 0, 64, AtomicAckEth::originalValue),
    IMMDT_DATA(ImmDt.LENGTH, 0, 32, word(ImmDt::immediateData)),
    IETH_KEY(Ieth.LENGTH, 0, 32, word(Ieth::rKey)),
    FETH_SELECTIVITY(Feth.LENGTH, 26, 2, Feth::selectivityLevel),
    FETH_PLACEMENT(Feth.LENGTH, 28, 4, Feth::placementType);

    final int headerLength;
    final int firstBit;
    final int bits;
    final Getter getter;

    HeaderField(int headerLength, int firstBit, int bits, Getter getter) {
        this.headerLength = headerLength;
        this.firstBit = firstBit;
        this.bits = bits;
        this.getter = getter;
    }

    /** Changes the field of a header at an offset, and no other bit; what does not fit the field is left out. */
    public void set(MutableDirectBuffer buffer, int offset, long value) {
        for (int i = 0; i < bits; i++) {
            int bit = firstBit + i;
            int mask = 0x80 >> bit % 8;
            int index = offset + bit / 8;
            boolean one = (value >>> bits - 1 - i & 1) != 0;
            buffer.putByte(index, (byte) (one ? buffer.getByte(index) | mask : buffer.getByte(index) & ~mask));
        }
    }

    private static Getter bit(BitGetter getter) {
        return (b, o) -> getter.get(b, o) ? 1 : 0;
    }

    private static Getter word(IntGetter getter) {
        return (b, o) -> Integer.toUnsignedLong(getter.get(b, o));
    }

    /** What the product reads. */
    interface Getter {
        long get(DirectBuffer buffer, int offset);
    }

    private interface IntGetter {
        int get(DirectBuffer buffer, int offset);
    }

    private interface BitGetter {
        boolean get(DirectBuffer buffer, int offset);
    }
}
