package io.rxe.tools.perftest;

import io.rxe.tools.side.PeerLink;
import io.rxe.tools.side.SideLink;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The messages two tests exchange beside the traffic. In each step both sides send a message of the same length, the client first.
 *
 * <pre>
 *   version (16)  cycle buffer (4)  cache line (4)  path MTU (2)    the preface
 *   key record (108) ...                                            one for each queue pair, and to synchronize
 *   size, iterations, peak, average, rate (5 x 8)                   the report of a bandwidth test
 *   key record, then "done" and a 0 each way                        the close
 * </pre>
 */
final class PerftestHandshake {
    /** The version we send: from 6.28 on perftest exchanges parameters too. */
    private static final String VERSION = "6.06";
    /** Bytes through which small messages cycle. */
    private static final int CYCLE_BUFFER_BYTES = 4096;
    /** Least distance between consecutive small messages. */
    private static final int CACHE_LINE_BYTES = 64;
    private static final int VERSION_BYTES = 16;
    private static final int MTU_BYTES = 2;
    private static final double LEAST_VERSION = 5.70;
    private static final int MAX_CYCLE_BYTES = 1 << 20;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final PeerLink link;
    private int cycleBufferBytes = CYCLE_BUFFER_BYTES;
    private int cacheLineBytes = CACHE_LINE_BYTES;

    PerftestHandshake(PeerLink link) {
        this.link = link;
    }

    /** Address of the peer, for messages. */
    String peer() {
        return link.peer();
    }

    /** Whether the peer has closed its control connection. Does not wait. */
    boolean isEnded() {
        return link.isEnded();
    }

    /** The larger offer of both sides. */
    int cycleBufferBytes() {
        return cycleBufferBytes;
    }

    /** The larger offer of both sides. */
    int cacheLineBytes() {
        return cacheLineBytes;
    }

    /** Exchanges everything before the key records; returns the path MTU, the smaller offer of both sides. */
    PathMtu preface(PathMtu offer) throws IOException {
        byte[] version = exchange(Arrays.copyOf(VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_BYTES), false);
        checkVersion(new String(version, StandardCharsets.ISO_8859_1).replace("\0", ""));
        cycleBufferBytes = larger("cycle buffer", CYCLE_BUFFER_BYTES);
        cacheLineBytes = larger("cache line", CACHE_LINE_BYTES);
        byte[] own = {(byte) ('0' + offer.code()), 0};
        int code = exchange(Arrays.copyOf(own, MTU_BYTES), false)[0] - '0';
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
            throw new IOException(peer() + " sent '" + PeerLink.printable(remote) + "' instead of a version of perftest:"
                + " is a test of perftest running there, and on this port?", e);
        }
        throw new IOException(peer() + " runs version " + PeerLink.printable(remote) + " of perftest < " + LEAST_VERSION + ": update it");
    }

    private int larger(String name, int own) throws IOException {
        int remote = ByteBuffer.wrap(exchange(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(), false)).getInt();
        if (remote < 0 || remote > MAX_CYCLE_BYTES) {
            throw new IOException(peer() + " offers a " + name + " of " + remote + " bytes, which is not in 0.." + MAX_CYCLE_BYTES
                + ": is the same test running there?");
        }
        return Math.max(own, remote);
    }

    /** Exchanges one record for each queue pair. */
    List<KeyRecord> keys(List<KeyRecord> own) throws IOException {
        List<KeyRecord> remote = new ArrayList<>(own.size());
        for (KeyRecord record : own) {
            remote.add(key(record, false));
        }
        return remote;
    }

    /** Exchanges one record to learn that the peer has reached the same step. */
    void synchronize(KeyRecord own) throws IOException {
        key(own, false);
    }

    /** As {@link #synchronize}, without a time limit: a test may be running at the peer. */
    void synchronizeAfterTest(KeyRecord own) throws IOException {
        key(own, true);
    }

    private KeyRecord key(KeyRecord own, boolean isUnbounded) throws IOException {
        try {
            return KeyRecord.parse(exchange(own.toWire(), isUnbounded));
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Exchanges reports: the five numbers one by one. */
    BandwidthReport report(BandwidthReport own) throws IOException {
        return new BandwidthReport(number(own.sizeBytes()), number(own.iterations()), number(own.peak()), number(own.average()),
            number(own.megaMessages()));
    }

    private long number(long own) throws IOException {
        return ByteBuffer.wrap(exchange(ByteBuffer.allocate(Long.BYTES).putLong(own).array(), true)).getLong();
    }

    private double number(double own) throws IOException {
        return ByteBuffer.wrap(exchange(ByteBuffer.allocate(Double.BYTES).putDouble(own).array(), true)).getDouble();
    }

    /** Exchanges the closing messages. */
    void close(KeyRecord own) throws IOException {
        synchronizeAfterTest(own);
        try {
            link.write(DONE);
        } catch (IOException e) {
            // The peer closes as soon as it has sent its own last message.
            return;
        }
    }

    private byte[] exchange(byte[] own, boolean isUnbounded) throws IOException {
        link.readTimeout(isUnbounded ? Duration.ZERO : SideLink.READ_TIMEOUT);
        if (link.isClient()) {
            link.write(own);
            return link.readExactly(own.length);
        }
        byte[] remote = link.readExactly(own.length);
        link.write(own);
        return remote;
    }
}
