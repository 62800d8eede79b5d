package io.rxe.qp;

import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.GracePeriods;
import io.rxe.qp.send.Peers;
import io.rxe.time.HostDelay;

/** What a queue pair needs from the engine that drives it. Engine thread only. */
public interface QueuePairHost {
    PortSettings ports();

    /** Frames for requests that arrive behind a gap, shared by the queue pairs of the engine. */
    FramePool frames();

    /** Peer send windows, shared by the queue pairs of the engine. */
    Peers peers();

    /** How the queue pairs of the engine wait until no engine uses what they invalidated. */
    GracePeriods gracePeriods();

    /** How long this host delays packets. */
    HostDelay hostDelay();

    /** Runs work that would make the engine's thread wait for the file system, and has the queue pair polled when it is done. */
    void offload(QueuePairTasks queuePair, Runnable work);

    /** Polls the queue pair in this iteration. */
    void schedule(QueuePairTasks queuePair);
}
