package io.rxe.qp;

import io.rxe.port.Flow;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What all queue pairs of an engine together may have under way to one peer, so that many of them do not overflow a socket which each
 * alone would not fill.
 *
 * <pre>
 *   room:      everybody sends
 *   no room:   waiting [ C | D | E ]  --(A's packets are answered)-->  C has a turn of 128 KiB, and asks again behind E
 * </pre>
 *
 * <p>What is sent again is counted but never waits: it takes the place of what was lost, and its timer runs. When nothing at all has
 * come back for a while although somebody waits, nothing is taken to be under way any more: else queue pairs whose peer is gone would
 * keep those out whose peer is not.
 *
 * <p>Owned by the engine thread.
 */
public final class PeerWindow {
    /** Sent in one turn while others wait: enough for a few batches. */
    static final int TURN_BYTES = 128 * 1024;
    /** What a packet takes of a socket's buffer beside its payload. */
    static final int PACKET_BYTES = 512;
    /** How long nothing comes back before what is under way is taken for lost. */
    static final long STALE_NS = 50_000_000;

    private final Peers peers;
    private final Flow flow;
    private final ArrayDeque<Share> waiting = new ArrayDeque<>();
    private long bytes;
    /** Room for turns that were given and are not used up. */
    private long promisedBytes;
    private long releasedNs;
    private int epoch;
    private int shares;

    private PeerWindow(Peers peers, Flow flow) {
        this.peers = peers;
        this.flow = flow;
    }

    private boolean hasRoom(long more) {
        return bytes + promisedBytes + more <= peers.limitBytes;
    }

    private void giveTurns() {
        while (!waiting.isEmpty() && (bytes + promisedBytes <= 0 || hasRoom(TURN_BYTES))) {
            waiting.poll().beginTurn();
        }
    }

    private void forget() {
        bytes = 0;
        promisedBytes = 0;
        epoch++;
    }

    /** The windows of an engine, one for each peer that a connected queue pair sends to. */
    public static final class Peers {
        private final long limitBytes;
        private final Map<Flow, PeerWindow> windows = new HashMap<>();

        /** @param limitBytes for each of them. */
        public Peers(long limitBytes) {
            this.limitBytes = limitBytes;
        }

        /**
         * A queue pair begins to send.
         *
         * @param flow   to the peer.
         * @param mtu    payload bytes of a packet at most.
         * @param onTurn has the queue pair polled soon.
         */
        public Share join(Flow flow, int mtu, Runnable onTurn) {
            PeerWindow window = windows.computeIfAbsent(flow, key -> new PeerWindow(this, key));
            window.shares++;
            return window.new Share(mtu, onTurn);
        }

        /** Peers that somebody sends to. */
        int size() {
            return windows.size();
        }
    }

    /** A queue pair's part in it. */
    public final class Share {
        private final int fullPacketBytes;
        private final Runnable onTurn;
        private int ownEpoch = epoch;
        private long ownPackets;
        private long ownBytes;
        private long turnBytes;
        private boolean queued;
        private boolean left;
        private long waitingSinceNs;

        private Share(int mtu, Runnable onTurn) {
            this.fullPacketBytes = mtu + PACKET_BYTES;
            this.onTurn = onTurn;
        }

        /** Whether a new packet may be sent now. If not, the queue pair waits for its turn. */
        public boolean claim(long nowNs) {
            if (turnBytes > 0 || waiting.isEmpty() && hasRoom(fullPacketBytes)) {
                return true;
            }
            if (!queued) {
                queued = true;
                waitingSinceNs = nowNs;
                waiting.add(this);
            }
            return false;
        }

        /** Whether the next packet may be the last that leaves before something is answered, so that it has to ask for an answer. */
        public boolean isLast() {
            return turnBytes > 0 ? turnBytes <= fullPacketBytes : !waiting.isEmpty() || !hasRoom(2L * fullPacketBytes);
        }

        /** Packets were sent, for the first time or again, or their answers asked for. */
        public void sent(long packets, long payloadBytes) {
            synchronize();
            long added = payloadBytes + packets * PACKET_BYTES;
            ownPackets += packets;
            ownBytes += added;
            bytes += added;
            useTurn(Math.min(turnBytes, added));
        }

        /**
         * Says how much is still under way; others have their turn when that is less than it was.
         *
         * @param packets that are neither answered nor known to be lost.
         */
        public void settle(long packets, long nowNs) {
            synchronize();
            if (queued && nowNs - waitingSinceNs >= STALE_NS) {
                waitingSinceNs = nowNs;
                if (nowNs - releasedNs >= STALE_NS) {
                    forget();
                    giveTurns();
                }
            } else if (packets < ownPackets) {
                keep(packets);
                releasedNs = nowNs;
                giveTurns();
            }
        }

        /** Which packets they are is not known: each counts for the mean of all. */
        private void keep(long packets) {
            long kept = ownBytes * packets / ownPackets;
            bytes -= ownBytes - kept;
            ownBytes = kept;
            ownPackets = packets;
        }

        /** The queue pair sends no more for now: what is left of its turn is for others. */
        public void endTurn() {
            if (turnBytes > 0) {
                synchronize();
                useTurn(turnBytes);
                giveTurns();
            }
        }

        /** The queue pair sends no more at all. */
        public void leave() {
            if (!left) {
                synchronize();
                left = true;
                bytes -= ownBytes;
                ownBytes = 0;
                ownPackets = 0;
                useTurn(turnBytes);
                if (--shares == 0) {
                    peers.windows.remove(flow);
                } else {
                    giveTurns();
                }
            }
        }

        /** When to {@link #settle} again even if nothing happens. */
        public long deadlineNs() {
            return queued && !left ? waitingSinceNs + STALE_NS : Long.MAX_VALUE;
        }

        /** After {@link #forget} nothing that was counted before is. */
        private void synchronize() {
            if (ownEpoch != epoch) {
                ownEpoch = epoch;
                ownPackets = 0;
                ownBytes = 0;
                turnBytes = 0;
            }
        }

        private void beginTurn() {
            queued = false;
            if (!left) {
                synchronize();
                turnBytes = TURN_BYTES;
                promisedBytes += TURN_BYTES;
                onTurn.run();
            }
        }

        private void useTurn(long used) {
            turnBytes -= used;
            promisedBytes -= used;
        }
    }
}
