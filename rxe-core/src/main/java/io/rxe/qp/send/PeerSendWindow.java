package io.rxe.qp.send;

import io.rxe.port.Flow;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The peer send window: how many bytes all queue pairs of an engine together may have in flight to one peer. Many queue pairs could
 * otherwise overflow a socket buffer that each alone would not fill.
 *
 * <pre>
 *   room:      every queue pair sends
 *   no room:   waiting [ C | D | E ]  --(packets of A are acknowledged)-->  C gets a grant of 128 KiB, then queues again behind E
 * </pre>
 *
 * <p>Retransmissions count against the window but never wait for it. If no acknowledgement arrives for 50 ms while a queue pair waits,
 * everything in flight is written off, so that a dead queue pair cannot block live ones.
 *
 * <p>Owned by the engine thread.
 */
public final class PeerSendWindow {
    /** What a queue pair may send at a time while others wait: a few batches. */
    static final int GRANT_BYTES = 128 * 1024;
    /** What a packet takes of a socket buffer beside its payload. */
    static final int PACKET_BYTES = 512;
    /** After this long without an acknowledgement, everything in flight is written off. */
    static final long STALE_NS = 50_000_000;

    private final Peers peers;
    private final Flow flow;
    private final ArrayDeque<Share> waiting = new ArrayDeque<>();
    private long bytes;
    /** Grants that are not used up. */
    private long grantedBytes;
    private long releasedNs;
    private int epoch;
    private int shares;

    private PeerSendWindow(Peers peers, Flow flow) {
        this.peers = peers;
        this.flow = flow;
    }

    private boolean hasRoom(long more) {
        return bytes + grantedBytes + more <= peers.limitBytes;
    }

    private void grantWaiting() {
        while (!waiting.isEmpty() && (bytes + grantedBytes <= 0 || hasRoom(GRANT_BYTES))) {
            waiting.poll().grant();
        }
    }

    private void writeOff() {
        bytes = 0;
        grantedBytes = 0;
        epoch++;
    }

    /** The windows of an engine, one for each peer that a connected queue pair sends to. */
    public static final class Peers {
        private final long limitBytes;
        private final Map<Flow, PeerSendWindow> windows = new HashMap<>();

        /** @param limitBytes for each of them. */
        public Peers(long limitBytes) {
            this.limitBytes = limitBytes;
        }

        /**
         * A queue pair begins to send.
         *
         * @param flow    to the peer.
         * @param mtu     payload bytes of a full packet.
         * @param onGrant schedules the queue pair for a poll.
         */
        public Share join(Flow flow, int mtu, Runnable onGrant) {
            PeerSendWindow window = windows.computeIfAbsent(flow, key -> new PeerSendWindow(this, key));
            window.shares++;
            return window.new Share(mtu, onGrant);
        }

        /** Peers that have a window. */
        int size() {
            return windows.size();
        }
    }

    /** One queue pair's share of the window. */
    public final class Share {
        private final int fullPacketBytes;
        private final Runnable onGrant;
        private int ownEpoch = epoch;
        private long ownPackets;
        private long ownBytes;
        private long grantLeftBytes;
        private boolean queued;
        private boolean left;
        private long waitingSinceNs;

        private Share(int mtu, Runnable onGrant) {
            this.fullPacketBytes = mtu + PACKET_BYTES;
            this.onGrant = onGrant;
        }

        /** Whether a new packet may be sent now. If not, the queue pair waits for a grant. */
        public boolean claim(long nowNs) {
            if (grantLeftBytes > 0 || waiting.isEmpty() && hasRoom(fullPacketBytes)) {
                return true;
            }
            if (!queued) {
                queued = true;
                waitingSinceNs = nowNs;
                waiting.add(this);
            }
            return false;
        }

        /** Whether the next packet may be the last before an acknowledgement makes room, so that it has to request one. */
        public boolean isLast() {
            return grantLeftBytes > 0 ? grantLeftBytes <= fullPacketBytes : !waiting.isEmpty() || !hasRoom(2L * fullPacketBytes);
        }

        /** Packets were sent or retransmitted, or READ responses requested. */
        public void sent(long packets, long payloadBytes) {
            synchronize();
            long added = payloadBytes + packets * PACKET_BYTES;
            ownPackets += packets;
            ownBytes += added;
            bytes += added;
            useGrant(Math.min(grantLeftBytes, added));
        }

        /**
         * Updates what this queue pair has in flight. Room that was freed is granted to the queue pairs that wait.
         *
         * @param packets that are neither acknowledged nor known to be lost.
         */
        public void settle(long packets, long nowNs) {
            synchronize();
            if (queued && nowNs - waitingSinceNs >= STALE_NS) {
                waitingSinceNs = nowNs;
                if (nowNs - releasedNs >= STALE_NS) {
                    writeOff();
                    grantWaiting();
                }
            } else if (packets < ownPackets) {
                keep(packets);
                releasedNs = nowNs;
                grantWaiting();
            }
        }

        /** Which packets remain is not known, so each counts as the mean of all. */
        private void keep(long packets) {
            long kept = ownBytes * packets / ownPackets;
            bytes -= ownBytes - kept;
            ownBytes = kept;
            ownPackets = packets;
        }

        /** The queue pair has nothing more to send for now: returns the rest of its grant. */
        public void returnGrant() {
            if (grantLeftBytes > 0) {
                synchronize();
                useGrant(grantLeftBytes);
                grantWaiting();
            }
        }

        /** The queue pair stops sending: gives everything back. */
        public void leave() {
            if (!left) {
                synchronize();
                left = true;
                bytes -= ownBytes;
                ownBytes = 0;
                ownPackets = 0;
                useGrant(grantLeftBytes);
                if (--shares == 0) {
                    peers.windows.remove(flow);
                } else {
                    grantWaiting();
                }
            }
        }

        /** When to call {@link #settle} even if nothing happens, or {@link Long#MAX_VALUE}. */
        public long deadlineNs() {
            return queued && !left ? waitingSinceNs + STALE_NS : Long.MAX_VALUE;
        }

        /** After a {@link #writeOff} this share starts from zero. */
        private void synchronize() {
            if (ownEpoch != epoch) {
                ownEpoch = epoch;
                ownPackets = 0;
                ownBytes = 0;
                grantLeftBytes = 0;
            }
        }

        private void grant() {
            queued = false;
            if (!left) {
                synchronize();
                grantLeftBytes = GRANT_BYTES;
                grantedBytes += GRANT_BYTES;
                onGrant.run();
            }
        }

        private void useGrant(long used) {
            grantLeftBytes -= used;
            grantedBytes -= used;
        }
    }
}
