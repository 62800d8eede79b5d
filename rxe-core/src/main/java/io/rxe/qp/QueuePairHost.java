package io.rxe.qp;

import io.rxe.qp.context.FramePool;
import io.rxe.qp.send.PeerSendWindow;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.util.List;

/** What a queue pair needs from the engine that drives it. Engine thread only. */
public interface QueuePairHost {
    /** Addresses of the local ports; index 0 is port 1. */
    List<Gid> gids();

    /** UDP port that packets leave from. */
    int udpPort();

    /** Largest path MTU the port carries. */
    PathMtu portMtu();

    /** Most bytes that one queue pair may have in flight. */
    int windowBytes();

    /** Frames for requests that arrive behind a gap, shared by the queue pairs of the engine. */
    FramePool frames();

    /** Peer send windows, shared by the queue pairs of the engine. */
    PeerSendWindow.Peers peers();

    /** Polls the queue pair in this iteration. */
    void schedule(QueuePairTasks queuePair);
}
