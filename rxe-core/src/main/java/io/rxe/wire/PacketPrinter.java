package io.rxe.wire;

import org.agrona.DirectBuffer;

/**
 * Prints packets as text, for users and for traces in tests. Appends to a StringBuilder of the caller.
 *
 * <p>Never throws: of a malformed packet it prints the readable fields and the {@link DropReason}.
 */
public final class PacketPrinter {
    private final StringBuilder out;

    /** Creates a printer that appends to a StringBuilder. */
    public PacketPrinter(StringBuilder out) {
        this.out = out;
    }

    /**
     * Appends one packet, without a line end.
     *
     * @param length bytes of UDP payload, with the ICRC.
     * @param verbose whether to print every field, even those with their usual value.
     */
    public void append(DirectBuffer buffer, int offset, int length, boolean verbose) {
        DropReason reason = HeaderValidator.check(buffer, offset, length);
        if (length < HeaderValidator.MIN_LENGTH) {
            out.append(reason.label()).append(" length ").append(length);
            return;
        }
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        appendBth(buffer, offset, opcode, verbose);
        if (opcode != null && opcode.headerLength() + Icrc.LENGTH <= length) {
            appendExtensions(buffer, offset, opcode);
            appendPayload(buffer, offset + opcode.headerLength(), HeaderValidator.payloadLength(buffer, offset, length, opcode), opcode);
        } else {
            out.append(" length ").append(length);
        }
        if (verbose) {
            out.append(" icrc ");
            hex(Integer.toUnsignedLong(Icrc.read(buffer, offset + length - Icrc.LENGTH)), 8);
        }
        if (reason != DropReason.NONE) {
            out.append(" (").append(reason.label()).append(')');
        }
    }

    private void appendPayload(DirectBuffer buffer, int offset, int length, Opcode opcode) {
        if (opcode.isAck() && length > 0 && GapReport.isValid(buffer, offset, length)) {
            out.append(' ').append(GapReport.describe(buffer, offset));
        } else {
            out.append(" payload ").append(length).append(opcode.isAck() && length > 0 ? " (no gap report)" : "");
        }
    }

    /**
     * Appends a packet whose end was not captured, without a line end: the headers that are there, and how much of it is.
     *
     * @param captured bytes of UDP payload that are there, 0 or more.
     * @param sentBytes bytes of UDP payload that were sent.
     */
    public void appendTruncated(DirectBuffer buffer, int offset, int captured, int sentBytes, boolean verbose) {
        if (captured >= Bth.LENGTH) {
            Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
            appendBth(buffer, offset, opcode, verbose);
            if (opcode != null && opcode.headerLength() <= captured) {
                appendExtensions(buffer, offset, opcode);
            }
            out.append(' ');
        }
        out.append("captured ").append(captured).append(" of ").append(sentBytes).append(" bytes");
    }

    private void appendBth(DirectBuffer buffer, int offset, Opcode opcode, boolean verbose) {
        if (opcode == null) {
            out.append("opcode 0x");
            hex(Bth.opcode(buffer, offset), 2);
        } else {
            out.append(opcode.name());
        }
        out.append(" qpn 0x").append(Integer.toHexString(Bth.destinationQpn(buffer, offset)));
        out.append(" psn ").append(Psn.toString(Bth.psn(buffer, offset)));
        if (Bth.isAckRequested(buffer, offset)) {
            out.append(" AckReq");
        }
        if (Bth.isMarked(buffer, offset)) {
            out.append(" mark");
        }
        if (Bth.isRepeated(buffer, offset)) {
            out.append(" repeated");
        }
        if (Bth.isMarked(buffer, offset)) {
            appendCode(opcode, buffer, offset);
        }
        if (Bth.isSolicited(buffer, offset)) {
            out.append(" SE");
        }
        if (Bth.isFecn(buffer, offset)) {
            out.append(" FECN");
        }
        if (Bth.isBecn(buffer, offset)) {
            out.append(" BECN");
        }
        int partitionKey = Bth.partitionKey(buffer, offset);
        if (verbose || partitionKey != Bth.DEFAULT_PARTITION_KEY) {
            out.append(" pkey ");
            hex(partitionKey, 4);
        }
        if (verbose) {
            out.append(" migreq ").append(Bth.isMigrationRequest(buffer, offset) ? 1 : 0);
            out.append(" pad ").append(Bth.padCount(buffer, offset));
        }
        if (verbose || Bth.transportVersion(buffer, offset) != 0) {
            out.append(" tver ").append(Bth.transportVersion(buffer, offset));
        }
    }

    private void appendCode(Opcode opcode, DirectBuffer buffer, int offset) {
        int code = Bth.hostDelay(buffer, offset);
        if (opcode == null) {
            return;
        }
        if ((opcode.isRequest() || opcode.isReadResponse()) && Bth.isTimed(buffer, offset)) {
            out.append(" sent at ").append(SendTime.ns(Bth.sendTime(buffer, offset)) / 1000).append(" us");
            return;
        }
        if (code != 0 && opcode.isReadRequest()) {
            out.append(" at ").append(Byte.SIZE * FiveBitCode.READ_RATE.value(code) / 1_000_000).append(" Mbit/s");
        } else if (code != 0) {
            out.append(" host delay ").append(FiveBitCode.HOST_DELAY.value(code) / 1000).append(" us");
        }
        int waitCode = Bth.requestWait(buffer, offset);
        if (waitCode != 0 && opcode.isReadResponse()) {
            out.append(" request waited ").append(FiveBitCode.HOST_DELAY.value(waitCode) / 1000).append(" us");
        }
    }

    private void appendExtensions(DirectBuffer buffer, int offset, Opcode opcode) {
        if (opcode.hasDeth()) {
            int deth = offset + opcode.dethOffset();
            out.append(" qkey ");
            hexInt(Deth.queueKey(buffer, deth));
            out.append(" srcqpn 0x").append(Integer.toHexString(Deth.sourceQpn(buffer, deth)));
        }
        if (opcode.hasXrcEth()) {
            out.append(" srqn 0x").append(Integer.toHexString(XrcEth.queueNumber(buffer, offset + opcode.xrcEthOffset())));
        }
        if (opcode.hasFeth()) {
            int feth = offset + opcode.fethOffset();
            out.append(" plt ").append(Feth.placementType(buffer, feth));
            out.append(" sel ").append(Feth.selectivityLevel(buffer, feth));
        }
        if (opcode.hasReth()) {
            int reth = offset + opcode.rethOffset();
            appendMemory(Reth.virtualAddress(buffer, reth), Reth.rKey(buffer, reth));
            out.append(" len ").append(Reth.dmaLength(buffer, reth));
        }
        if (opcode.hasAtomicEth()) {
            int atomicEth = offset + opcode.atomicEthOffset();
            appendMemory(AtomicEth.virtualAddress(buffer, atomicEth), AtomicEth.rKey(buffer, atomicEth));
            out.append(opcode.isFetchAdd() ? " add 0x" : " swap 0x");
            out.append(Long.toHexString(AtomicEth.swapOrAdd(buffer, atomicEth)));
            out.append(" compare 0x").append(Long.toHexString(AtomicEth.compare(buffer, atomicEth)));
        }
        if (opcode.hasAeth()) {
            int aeth = offset + opcode.aethOffset();
            out.append(' ').append(Syndrome.describe(Aeth.syndrome(buffer, aeth)));
            out.append(" msn ").append(Aeth.messageSequenceNumber(buffer, aeth));
        }
        if (opcode.hasAtomicAckEth()) {
            out.append(" original 0x");
            out.append(Long.toHexString(AtomicAckEth.originalValue(buffer, offset + opcode.atomicAckEthOffset())));
        }
        if (opcode.hasImmDt()) {
            out.append(" imm ");
            hexInt(ImmDt.immediateData(buffer, offset + opcode.immDtOffset()));
        }
        if (opcode.hasIeth()) {
            out.append(" invalidate ");
            hexInt(Ieth.rKey(buffer, offset + opcode.iethOffset()));
        }
    }

    private void appendMemory(long virtualAddress, int rKey) {
        out.append(" va 0x").append(Long.toHexString(virtualAddress)).append(" rkey ");
        hexInt(rKey);
    }

    private void hexInt(int value) {
        out.append("0x");
        hex(Integer.toUnsignedLong(value), 8);
    }

    private void hex(long value, int digits) {
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            out.append(Character.forDigit((int) (value >>> shift) & 0xF, 16));
        }
    }
}
