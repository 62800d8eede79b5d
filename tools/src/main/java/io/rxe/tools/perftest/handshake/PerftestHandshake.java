package io.rxe.tools.perftest.handshake;

import io.rxe.tools.side.PeerText;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
public final class PerftestHandshake {
    /** The version we send: from 6.28 on perftest exchanges parameters too. */
    static final String VERSION = "6.06";
    /** Bytes through which small messages cycle. */
    static final int CYCLE_BUFFER_BYTES = 4096;
    /** Least distance between consecutive small messages. */
    public static final int CACHE_LINE_BYTES = 64;

    private static final int VERSION_BYTES = 16;
    private static final int MTU_BYTES = 2;
    private static final double LEAST_VERSION = 5.70;
    private static final int MAX_CYCLE_BYTES = 1 << 20;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final ControlLink link;
    private int cycleBufferBytes = CYCLE_BUFFER_BYTES;
    private int cacheLineBytes = CACHE_LINE_BYTES;

    public PerftestHandshake(ControlLink link) {
        this.link = link;
    }

    /** Address of the peer, for messages. */
    public String peer() {
        return link.peer();
    }

    /** Why the peer cannot be reached any more, or null; see {@link ControlLink#endReason}. */
    public String endReason() {
        return link.endReason();
    }

    /** The larger offer of both sides. */
    public int cycleBufferBytes() {
        return cycleBufferBytes;
    }

    /** The larger offer of both sides. */
    public int cacheLineBytes() {
        return cacheLineBytes;
    }

    /**
     * Exchanges everything before the key records.
     *
     * @return the path MTU: the smaller offer of both sides.
     */
    public PathMtu preface(PathMtu offer) throws IOException {
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
            throw new IOException(peer() + " sent '" + PeerText.printable(remote) + "' instead of a version of perftest:"
                + " is a test of perftest running there, and on this port?", e);
        }
        throw new IOException(peer() + " runs version " + PeerText.printable(remote) + " of perftest < " + LEAST_VERSION + ": update it");
    }

    private int larger(String name, int own) throws IOException {
        int remote = ByteBuffer.wrap(link.exchange(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(), false)).getInt();
        if (remote < 0 || remote > MAX_CYCLE_BYTES) {
            throw new IOException(peer() + " offers a " + name + " of " + remote + " bytes, which is not in 0.." + MAX_CYCLE_BYTES
                + ": is the same test running there?");
        }
        return Math.max(own, remote);
    }

    /** Whether records are text, as over a socket. */
    public boolean keysAreText() {
        return link.keyFormat() == KeyFormat.TEXT;
    }

    /** Exchanges one record for each queue pair. */
    public List<KeyRecord> keys(List<KeyRecord> own) throws IOException {
        List<KeyRecord> remote = new ArrayList<>(own.size());
        for (KeyRecord record : own) {
            remote.add(key(record, false));
        }
        return remote;
    }

    /** Exchanges one record to learn that the peer has reached the same step. */
    public void synchronize(KeyRecord own) throws IOException {
        key(own, false);
    }

    /**
     * Exchanges empty records, before and after connection management connects the queue pairs.
     *
     * @throws IOException if the peer sends keys, because it was started without {@code -R}.
     */
    public void exchangeEmptyKeys() throws IOException {
        int qpn = key(KeyRecord.EMPTY, false).qpn();
        if (qpn != 0) {
            throw new IOException(peer() + " sent the key of its queue pair " + qpn + " before it was connected: start it with -R as well");
        }
    }

    /** As {@link #synchronize}, without a time limit: a test may be running at the peer. */
    public void synchronizeAfterTest(KeyRecord own) throws IOException {
        key(own, true);
    }

    private KeyRecord key(KeyRecord own, boolean isUnbounded) throws IOException {
        try {
            return KeyRecord.parse(link.exchange(own.toWire(link.keyFormat()), isUnbounded), link.keyFormat());
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Exchanges reports: the five numbers one by one. */
    public BandwidthReport report(BandwidthReport own) throws IOException {
        return new BandwidthReport(number(own.sizeBytes()), number(own.iterations()), number(own.peak()), number(own.average()),
            number(own.megaMessages()));
    }

    private long number(long own) throws IOException {
        return ByteBuffer.wrap(link.exchange(ByteBuffer.allocate(Long.BYTES).putLong(own).array(), true)).getLong();
    }

    private double number(double own) throws IOException {
        return ByteBuffer.wrap(link.exchange(ByteBuffer.allocate(Double.BYTES).putDouble(own).array(), true)).getDouble();
    }

    /** Exchanges the closing messages. */
    public void close(KeyRecord own) throws IOException {
        synchronizeAfterTest(own);
        link.sendLast(DONE);
    }
}
