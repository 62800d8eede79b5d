package io.rxe.device;

import io.rxe.fault.VerbFaults;
import io.rxe.port.QueuePairObserver;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WaitDriver;
import io.rxe.wire.Gid;
import java.util.List;

/** What connection management does with the queue pairs of a NIC beside the verbs. Any thread. */
public interface QueuePairs {
    /** A queue pair of the NIC. */
    interface Observed {
        /**
         * Sets the observer, until the queue pair has ended. Unlike asynchronous events this works in every state, and leaves the events to
         * the application.
         *
         * @throws IllegalStateException when it has an observer or is closed, and when the NIC is closed or failed.
         */
        void observe(QueuePairObserver observer);

        /** Undoes {@link #observe}; no effect when the observer is another one. */
        void forget(QueuePairObserver observer);

        /** Moves the queue pair to ERROR, which flushes it; no effect when its observer is another one. Returns when it is in ERROR. */
        void end(QueuePairObserver observer);

        /** As {@link #end}, but what has arrived is received and answered before. */
        void awaitEnd(QueuePairObserver observer);

        /** As {@link #awaitEnd}, but waits for no engine, so that the threads of engines may call it: polls of the queue pair do it. */
        void requestEnd(QueuePairObserver observer);

        /**
         * Runs several calls as one command of the engine, where each of them alone would wait for a command of its own.
         *
         * @param calls of this queue pair only; what they throw is thrown here.
         */
        void run(Runnable calls);
    }

    /** @throws IllegalArgumentException when the queue pair belongs to another device. */
    Observed of(QueuePair queuePair);

    /**
     * Refuses the broadcast address of a subnet as the address of a peer.
     *
     * @param what    names the address in the message.
     * @param address of any kind: groups are left to who may use them.
     * @throws IllegalArgumentException if it is one.
     */
    void refuseBroadcast(String what, Gid address);

    /** Addresses of the ports; index 0 is port 1. */
    List<Gid> gids();

    /** Drives the NIC while a thread waits for events; null where it has a thread. */
    default WaitDriver driver() {
        return null;
    }

    /** What is to fail on purpose. */
    default VerbFaults faults() {
        return VerbFaults.NONE;
    }
}
