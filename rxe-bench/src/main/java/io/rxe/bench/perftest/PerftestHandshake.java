package io.rxe.bench.perftest;

import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Everything two tests say to each other beside the traffic. Each step is one exchange of messages of the same length, the client's
 * first.
 *
 * <pre>
 *   version (16)  cycle buffer (4)  cache line (4)  path MTU (2)    the preface
 *   key record (108) ...                                            one for each queue pair, and as a meeting point
 *   size, iterations, peak, average, rate (5 x 8)                   the report of a bandwidth test
 *   key record, then "done" and a 0 each way                        the close
 * </pre>
 */
public final class PerftestHandshake {
    /** What we claim to be: newer versions add an exchange of parameters from 6.28 on. */
    static final String VERSION = "6.06";
    /** Bytes within which small messages move on from one to the next. */
    static final int CYCLE_BUFFER_BYTES = 4096;
    /** Least step from one small message to the next. */
    static final int CACHE_LINE_BYTES = 64;

    private static final int VERSION_BYTES = 16;
    private static final int MTU_BYTES = 2;
    private static final double LEAST_VERSION = 5.70;
    private static final int MAX_CYCLE_BYTES = 1 << 20;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final ControlLink link;
    private int cycleBufferBytes = CYCLE_BUFFER_BYTES;
    private int cacheLineBytes = CACHE_LINE_BYTES;

    PerftestHandshake(ControlLink link) {
        this.link = link;
    }

    /** Whom we talk to. */
    String peer() {
        return link.peer();
    }

    /** The larger wish of both sides. */
    int cycleBufferBytes() {
        return cycleBufferBytes;
    }

    /** The larger wish of both sides. */
    int cacheLineBytes() {
        return cacheLineBytes;
    }

    /**
     * Everything before the key records.
     *
     * @return the path MTU to use: the smaller offer of both sides.
     */
    PathMtu preface(PathMtu offer) throws IOException {
        byte[] version = link.exchange(Arrays.copyOf(VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_BYTES), false);
        checkVersion(new String(version, StandardCharsets.ISO_8859_1).replace("\0", ""));
        cycleBufferBytes = larger("cycle buffer", CYCLE_BUFFER_BYTES);
        cacheLineBytes = larger("cache line", CACHE_LINE_BYTES);
        byte[] own = {(byte) ('0' + offer.code()), 0};
        int code = link.exchange(Arrays.copyOf(own, MTU_BYTES), false)[0] - '0';
        try {
            PathMtu remote = PathMtu.ofCode(code);
            return remote.code() < offer.code() ? remote : offer;
        } catch (IllegalArgumentException e) {
            throw new IOException(peer() + " offers an MTU that does not exist: " + e.getMessage(), e);
        }
    }

    private void checkVersion(String remote) throws IOException {
        try {
            if (Double.parseDouble(remote) >= LEAST_VERSION) {
                return;
            }
        } catch (NumberFormatException e) {
            throw new IOException(peer() + " says '" + remote.replaceAll("[^\\x20-\\x7e]", "?") + "' instead of a version of perftest:"
                + " is a test of perftest running there, and on this port?", e);
        }
        throw new IOException(peer() + " runs version " + remote + " of perftest < " + LEAST_VERSION + ": update it");
    }

    private int larger(String name, int own) throws IOException {
        int remote = ByteBuffer.wrap(link.exchange(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(), false)).getInt();
        if (remote < 0 || remote > MAX_CYCLE_BYTES) {
            throw new IOException(peer() + " wants a " + name + " of " + remote + " bytes, which is not in 0.." + MAX_CYCLE_BYTES
                + ": is the same test running there?");
        }
        return Math.max(own, remote);
    }

    /** Whether records travel as text: over a socket. */
    boolean keysAreText() {
        return link.keyFormat() == KeyFormat.TEXT;
    }

    /** Trades one record for each queue pair. */
    List<KeyRecord> keys(List<KeyRecord> own) throws IOException {
        List<KeyRecord> remote = new ArrayList<>(own.size());
        for (KeyRecord record : own) {
            remote.add(key(record, false));
        }
        return remote;
    }

    /** Trades one record only to know that the other side is as far. */
    void meet(KeyRecord own) throws IOException {
        key(own, false);
    }

    /**
     * Trades empty records, before and after connection management connects the queue pairs.
     *
     * @throws IOException when the peer has keys already: it connects by them.
     */
    void meetWithoutKeys() throws IOException {
        int qpn = key(KeyRecord.EMPTY, false).qpn();
        if (qpn != 0) {
            throw new IOException(peer() + " sent the key of its queue pair " + qpn + " before it was connected: start it with -R as well");
        }
    }

    /** As {@link #meet}, but the other side may take all the time of a test. */
    void meetAfterTest(KeyRecord own) throws IOException {
        key(own, true);
    }

    private KeyRecord key(KeyRecord own, boolean isPatient) throws IOException {
        try {
            return KeyRecord.parse(link.exchange(own.toWire(link.keyFormat()), isPatient), link.keyFormat());
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Trades reports: the five numbers one by one. */
    BandwidthReport report(BandwidthReport own) throws IOException {
        return new BandwidthReport(number(own.sizeBytes()), number(own.iterations()), number(own.peak()), number(own.average()),
            number(own.megaMessages()));
    }

    private long number(long own) throws IOException {
        return ByteBuffer.wrap(link.exchange(ByteBuffer.allocate(Long.BYTES).putLong(own).array(), true)).getLong();
    }

    private double number(double own) throws IOException {
        return ByteBuffer.wrap(link.exchange(ByteBuffer.allocate(Double.BYTES).putDouble(own).array(), true)).getDouble();
    }

    /** Says goodbye. */
    void close(KeyRecord own) throws IOException {
        meetAfterTest(own);
        link.sendLast(DONE);
    }
}
