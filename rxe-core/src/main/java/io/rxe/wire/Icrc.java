package io.rxe.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The invariant CRC at the end of every packet, computed without access to the IP header.
 *
 * <p>The ICRC is a CRC-32 over eight bytes of ones, the IP and UDP headers, BTH, extension headers, payload and padding,
 * where every field that a router may change is replaced by ones: IPv4 type of service, time to live and header checksum; IPv6
 * traffic class, flow label and hop limit; UDP checksum; the fifth byte of the BTH. IPv4 total length, identification and flags
 * are covered as they are, but a UDP socket does not show them.
 *
 * <p>CRC-32 is linear: the CRC of a XOR is the XOR of the CRCs (up to a constant that depends on the length). So it splits into
 * parts:
 *
 * <pre>
 *   8 x FF | IP, UDP: fixed fields, lengths | addresses, ports | identification | BTH .. padding
 *            \___ constant of the length __/  \___ seed _____/   \____ Q ____/    \_ one CRC32 _/
 *
 *   icrc(packet) = crc32(BTH .. padding)  ^  constant[length]  ^  onward[length] * (seed ^ Q(identification))
 * </pre>
 *
 * <p>where {@code onward[length]} is the linear map "advance the register over length bytes", four table look-ups. Receiving
 * reverses it: XOR the received ICRC with the one computed for identification 0, and run the difference back over the known
 * distance to the identification field. The result is the identification the sender used, in 16 bits, and 16 bits that are zero
 * unless the packet is corrupt. See ARCHITECTURE.md.
 *
 * <p>One object per thread: it holds a {@link CRC32}. Allocates only for the first packet of each length.
 */
public final class Icrc {
    /** Length in bytes. */
    public static final int LENGTH = 4;
    /** Longest BTH .. padding that {@link #compute} accepts, in bytes. */
    public static final int MAX_COVERED_LENGTH = 4352;

    private static final int DUMMY_LINK_HEADER_WORDS = 2;
    private static final int IPV4_AND_UDP_LENGTH = 28;
    private static final int UDP_LENGTH = 8;
    private static final int IPV4_IDENTIFICATION_OFFSET = 4;
    private static final int UDP_PROTOCOL = 17;
    private static final int MASKED_BTH_BYTE = 4;
    private static final int IDENTIFICATION_TO_BTH = IPV4_AND_UDP_LENGTH - IPV4_IDENTIFICATION_OFFSET;

    private static final AtomicReferenceArray<LengthTables> TABLES = new AtomicReferenceArray<>(MAX_COVERED_LENGTH + 1);
    /** Contribution of the first and the second identification byte to the register at the BTH. */
    private static final int[] IDENTIFICATION_HIGH = new int[256];
    private static final int[] IDENTIFICATION_LOW = new int[256];
    /** Correction to the register at the BTH that makes the fifth BTH byte count as ones, by the value of the byte. */
    private static final int[] BTH_MASK = new int[256];

    private static final int[] BACK_OVER_FLUSH = Crc32Algebra.tables(Crc32Algebra.back(Opcode.RC_FLUSH.headerLength()));

    static {
        int[] fiveBytesBack = Crc32Algebra.back(MASKED_BTH_BYTE + 1);
        for (int value = 0; value < 256; value++) {
            IDENTIFICATION_HIGH[value] = Crc32Algebra.feedZeros(Crc32Algebra.feed(0, value), IDENTIFICATION_TO_BTH - 1);
            IDENTIFICATION_LOW[value] = Crc32Algebra.feedZeros(Crc32Algebra.feed(0, value), IDENTIFICATION_TO_BTH - 2);
            BTH_MASK[value] = Crc32Algebra.applyColumns(fiveBytesBack, Crc32Algebra.feed(0, value ^ 0xFF));
        }
    }

    private final CRC32 crc32 = new CRC32();
    private byte[] scratch = new byte[0];

    /** Creates an object for one thread. */
    public Icrc() {
        crc32.reset();
    }

    /**
     * Computes the contribution of addresses and ports to the ICRC, which all packets of a flow share.
     *
     * @param sourcePort UDP source port, 0 to 65535.
     * @param destinationPort UDP destination port, 4791 for RoCEv2.
     * @return the CRC register at the BTH, from addresses and ports alone.
     * @throws IllegalArgumentException when one address is IPv4 and the other IPv6.
     */
    public static int seed(Gid source, Gid destination, int sourcePort, int destinationPort) {
        int register = 0;
        if (source.isIpv4() != destination.isIpv4()) {
            throw new IllegalArgumentException("source " + source + " and destination " + destination
                + " are of different families: use two IPv4 or two IPv6 addresses");
        }
        if (source.isIpv4()) {
            register = Crc32Algebra.feedWord(register, source.ipv4());
            register = Crc32Algebra.feedWord(register, destination.ipv4());
        } else {
            register = feedLong(feedLong(register, source.high()), source.low());
            register = feedLong(feedLong(register, destination.high()), destination.low());
        }
        register = Crc32Algebra.feedWord(register, sourcePort << 16 | destinationPort & 0xFFFF);
        return Crc32Algebra.feedWord(register, 0);
    }

    /**
     * Computes the ICRC of a packet in a datagram with the "do not fragment" flag (IPv4), no IP options and no other flags.
     *
     * @param offset start of the BTH.
     * @param length bytes from the BTH to the last padding byte, without the ICRC, up to {@link #MAX_COVERED_LENGTH}.
     * @param seed see {@link #seed}.
     * @param ipv4 whether the seed's addresses are IPv4.
     * @param ipId IPv4 identification, 0 to 65535; ignored for IPv6.
     * @return the value to store little-endian behind the packet.
     */
    public int compute(DirectBuffer buffer, int offset, int length, int seed, boolean ipv4, int ipId) {
        LengthTables tables = tables(length);
        int register = ipv4 ? seed ^ IDENTIFICATION_HIGH[ipId >>> 8 & 0xFF] ^ IDENTIFICATION_LOW[ipId & 0xFF] : seed;
        int congestion = buffer.getByte(offset + MASKED_BTH_BYTE) & 0xFF;
        if (congestion != 0) {
            register ^= BTH_MASK[0] ^ BTH_MASK[congestion];
        }
        return crc(buffer, offset, length) ^ (ipv4 ? tables.ipv4Constant : tables.ipv6Constant)
            ^ Crc32Algebra.apply(tables.onward, register);
    }

    /**
     * Lets the ICRC of a packet cover its bytes from the BTH on a second time, unmasked, as rdma_rxe does with a FLUSH (measured with
     * kernel 6.12).
     *
     * @param offset start of the BTH.
     * @param length bytes from the BTH to the last padding byte, without the ICRC.
     * @param icrc as specified; see {@link #compute}.
     */
    public int coverTwice(DirectBuffer buffer, int offset, int length, int icrc) {
        return Crc32Algebra.apply(tables(length).onward, icrc) ^ crc(buffer, offset, length);
    }

    /** Reverses {@link #coverTwice} for a FLUSH. */
    private int coverOnce(DirectBuffer buffer, int offset, int length, int icrc) {
        return Crc32Algebra.apply(BACK_OVER_FLUSH, icrc ^ crc(buffer, offset, length));
    }

    private static boolean mayBeCoveredTwice(DirectBuffer buffer, int offset, int covered) {
        return covered == Opcode.RC_FLUSH.headerLength() && Bth.opcode(buffer, offset) == Opcode.RC_FLUSH.code();
    }

    /**
     * Verifies the ICRC of a packet received over IPv4, and recovers the identification its sender used. That of a FLUSH may cover the
     * headers twice.
     *
     * @param offset start of the BTH.
     * @param length bytes of UDP payload, with the ICRC.
     * @param seed see {@link #seed}.
     * @return the IPv4 identification, 0 to 65535, or -1 when the ICRC is wrong for every identification, or no packet has this length.
     */
    public int recoverIpId(DirectBuffer buffer, int offset, int length, int seed) {
        int covered = length - LENGTH;
        if (!isPossible(covered)) {
            return -1;
        }
        int computed = compute(buffer, offset, covered, seed, true, 0);
        int received = read(buffer, offset + covered);
        int identification = identification(covered, received ^ computed);
        if (identification < 0 && mayBeCoveredTwice(buffer, offset, covered)) {
            identification = identification(covered, coverOnce(buffer, offset, covered, received) ^ computed);
        }
        return identification;
    }

    private static int identification(int covered, int difference) {
        int register = Crc32Algebra.apply(tables(covered).backToIdentification, difference);
        return register >>> 16 != 0 ? -1 : (register & 0xFF) << 8 | register >>> 8;
    }

    /**
     * Verifies the ICRC of a packet received over IPv6. That of a FLUSH may cover the headers twice.
     *
     * @param offset start of the BTH.
     * @param length bytes of UDP payload, with the ICRC.
     * @param seed see {@link #seed}.
     */
    public boolean isValidIpv6(DirectBuffer buffer, int offset, int length, int seed) {
        int covered = length - LENGTH;
        if (!isPossible(covered)) {
            return false;
        }
        int computed = compute(buffer, offset, covered, seed, false, 0);
        int received = read(buffer, offset + covered);
        return received == computed
            || mayBeCoveredTwice(buffer, offset, covered) && received == coverTwice(buffer, offset, covered, computed);
    }

    /** Packets are padded to a multiple of four bytes. Garbage of other lengths must not create tables: there are 8 KiB for a length. */
    private static boolean isPossible(int covered) {
        return covered >= Bth.LENGTH && covered <= MAX_COVERED_LENGTH && (covered & 3) == 0;
    }

    /** Stores an ICRC, the only little-endian field of a packet. */
    public static void write(MutableDirectBuffer buffer, int offset, int icrc) {
        buffer.putInt(offset, icrc, LITTLE_ENDIAN);
    }

    /** {@return the ICRC stored at an offset} */
    public static int read(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset, LITTLE_ENDIAN);
    }

    /**
     * Computes the ICRC from a whole IP datagram, byte by byte as specified. Captures are checked with it, and tests compare
     * {@link #compute} with it.
     *
     * @param ipOffset start of the IPv4 or IPv6 header.
     * @param ipLength bytes from there to the last padding byte, without the ICRC; at least the IP and UDP headers and a BTH.
     * @return the value to store little-endian behind the packet.
     */
    public static int reference(DirectBuffer ip, int ipOffset, int ipLength) {
        byte[] masked = new byte[DUMMY_LINK_HEADER_WORDS * 4 + ipLength];
        Arrays.fill(masked, 0, DUMMY_LINK_HEADER_WORDS * 4, (byte) 0xFF);
        int start = DUMMY_LINK_HEADER_WORDS * 4;
        ip.getBytes(ipOffset, masked, start, ipLength);
        int udp;
        if ((masked[start] & 0xF0) == 0x60) {
            udp = start + 40;
            masked[start] |= 0x0F;
            ones(masked, start + 1, 3);
            ones(masked, start + 7, 1);
        } else {
            udp = start + (masked[start] & 0x0F) * 4;
            ones(masked, start + 1, 1);
            ones(masked, start + 8, 1);
            ones(masked, start + 10, 2);
        }
        ones(masked, udp + 6, 2);
        ones(masked, udp + UDP_LENGTH + MASKED_BTH_BYTE, 1);
        CRC32 crc = new CRC32();
        crc.update(masked, 0, masked.length);
        return (int) crc.getValue();
    }

    /**
     * Verifies the ICRC of a captured packet with {@link #reference}. That of a FLUSH may cover the headers twice.
     *
     * @param ipOffset start of the IPv4 or IPv6 header.
     * @param offset start of the BTH.
     * @param icrcOffset one past the last padding byte.
     */
    public static boolean isGood(DirectBuffer ip, int ipOffset, int offset, int icrcOffset) {
        int computed = reference(ip, ipOffset, icrcOffset - ipOffset);
        int covered = icrcOffset - offset;
        int received = read(ip, icrcOffset);
        return received == computed
            || mayBeCoveredTwice(ip, offset, covered) && received == new Icrc().coverTwice(ip, offset, covered, computed);
    }

    private static void ones(byte[] bytes, int from, int count) {
        Arrays.fill(bytes, from, from + count, (byte) 0xFF);
    }

    private static int feedLong(int register, long value) {
        return Crc32Algebra.feedWord(Crc32Algebra.feedWord(register, (int) (value >>> 32)), (int) value);
    }

    private static LengthTables tables(int length) {
        if (length < Bth.LENGTH || length > MAX_COVERED_LENGTH) {
            throw new IllegalArgumentException("ICRC over " + length + " bytes: a packet has " + Bth.LENGTH + " to "
                + MAX_COVERED_LENGTH + " bytes from BTH to padding; lower the path MTU to 4096 or less");
        }
        LengthTables tables = TABLES.getAcquire(length);
        if (tables == null) {
            tables = new LengthTables(length);
            TABLES.setRelease(length, tables);
        }
        return tables;
    }

    /** CRC-32 of the bytes as they are; chooses the overload of {@link CRC32} that the JVM compiles to CPU instructions. */
    private int crc(DirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        crc32.reset();
        byte[] array = buffer.byteArray();
        ByteBuffer bytes = buffer.byteBuffer();
        if (array != null) {
            crc32.update(array, buffer.wrapAdjustment() + offset, length);
        } else if (bytes != null) {
            int from = buffer.wrapAdjustment() + offset;
            int limit = bytes.limit();
            int position = bytes.position();
            bytes.limit(from + length).position(from);
            crc32.update(bytes);
            bytes.limit(limit).position(position);
        } else {
            if (scratch.length < length) {
                scratch = new byte[MAX_COVERED_LENGTH];
            }
            buffer.getBytes(offset, scratch, 0, length);
            crc32.update(scratch, 0, length);
        }
        return (int) crc32.getValue();
    }

    /** Tables and constants of one covered length. Immutable, so any thread may create and publish them. */
    private static final class LengthTables {
        final int[] onward;
        final int[] backToIdentification;
        final int ipv4Constant;
        final int ipv6Constant;

        LengthTables(int length) {
            onward = Crc32Algebra.tables(Crc32Algebra.onward(length));
            backToIdentification = Crc32Algebra.tables(Crc32Algebra.back(length + IDENTIFICATION_TO_BTH));
            // The CRC32 object starts with all ones at the BTH, the specified CRC with the register left by the IP and UDP headers.
            ipv4Constant = Crc32Algebra.apply(onward, registerAfterIpv4(length) ^ 0xFFFF_FFFF ^ BTH_MASK[0]);
            ipv6Constant = Crc32Algebra.apply(onward, registerAfterIpv6(length) ^ 0xFFFF_FFFF ^ BTH_MASK[0]);
        }

        private static int registerAfterIpv4(int length) {
            int udpLength = UDP_LENGTH + length + LENGTH;
            int register = registerAfterDummyLinkHeader();
            register = Crc32Algebra.feedWord(register, 0x45FF_0000 | udpLength + 20);
            register = Crc32Algebra.feedWord(register, 0x0000_4000);
            register = Crc32Algebra.feedWord(register, 0xFF00_FFFF | UDP_PROTOCOL << 16);
            register = Crc32Algebra.feedZeros(register, 3 * 4);
            return Crc32Algebra.feedWord(register, udpLength << 16 | 0xFFFF);
        }

        private static int registerAfterIpv6(int length) {
            int udpLength = UDP_LENGTH + length + LENGTH;
            int register = registerAfterDummyLinkHeader();
            register = Crc32Algebra.feedWord(register, 0x6FFF_FFFF);
            register = Crc32Algebra.feedWord(register, udpLength << 16 | UDP_PROTOCOL << 8 | 0xFF);
            register = Crc32Algebra.feedZeros(register, 9 * 4);
            return Crc32Algebra.feedWord(register, udpLength << 16 | 0xFFFF);
        }

        private static int registerAfterDummyLinkHeader() {
            int register = 0xFFFF_FFFF;
            for (int word = 0; word < DUMMY_LINK_HEADER_WORDS; word++) {
                register = Crc32Algebra.feedWord(register, 0xFFFF_FFFF);
            }
            return register;
        }
    }
}
