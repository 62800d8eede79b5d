package io.rxe.qp.send;

import io.rxe.port.Flow;
import io.rxe.verbs.CongestionOptions;
import java.util.HashMap;
import java.util.Map;

/**
 * The peers that the queue pairs of an engine send to. What requests carry there and what READ responses bring from there flow through
 * different queues, so each direction has a {@link PeerSendWindow}. Which of them the peer answers does not matter.
 *
 * <p>Owned by the engine thread.
 */
public final class Peers {
    private final long bufferBytes;
    private final long mostBytes;
    private final Map<Path, Peer> peers = new HashMap<>();

    /**
     * @param bufferBytes of each window on a path that holds nothing itself.
     * @param mostBytes   of each window on any path.
     */
    public Peers(long bufferBytes, long mostBytes) {
        this.bufferBytes = bufferBytes;
        this.mostBytes = mostBytes;
    }

    /** What has windows of its own: each traffic class is a flow. */
    private record Path(Flow flow, CongestionOptions congestion) {
    }

    private final class Peer {
        private final Path path;
        private final PeerAnswers answers = new PeerAnswers();
        private final PeerSendWindow requests;
        private final PeerSendWindow responses;
        private int queuePairs;

        Peer(Path path, int mtu) {
            this.path = path;
            requests = new PeerSendWindow(path.congestion, bufferBytes, mostBytes, answers, mtu);
            responses = new PeerSendWindow(path.congestion, bufferBytes, mostBytes, answers, mtu);
        }

        PeerShares join(int mtu, Runnable onGrant) {
            queuePairs++;
            return new PeerShares(requests.join(mtu, onGrant), responses.join(mtu, onGrant), answers, this::onLeft);
        }

        private void onLeft() {
            if (--queuePairs == 0) {
                peers.remove(path);
            }
        }
    }

    /**
     * A queue pair begins to send. Those with one flow and equal options share windows.
     *
     * @param flow       to the peer.
     * @param congestion which controller it has, and how that is set.
     * @param mtu        payload bytes of a full packet.
     * @param onGrant    schedules the queue pair for a poll.
     */
    public PeerShares join(Flow flow, CongestionOptions congestion, int mtu, Runnable onGrant) {
        return peers.computeIfAbsent(new Path(flow, congestion), path -> new Peer(path, mtu)).join(mtu, onGrant);
    }

    /** Peers with queue pairs. */
    int size() {
        return peers.size();
    }
}
