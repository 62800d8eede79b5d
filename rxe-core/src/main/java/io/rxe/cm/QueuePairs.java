package io.rxe.cm;

import io.rxe.device.Nic;
import io.rxe.fault.VerbFaults;
import io.rxe.port.QueuePairObserver;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WaitDriver;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.stream.IntStream;

/** What connection management does with queue pairs beside the verbs. Any thread. */
interface QueuePairs {
    /** Sets the observer of a queue pair until the queue pair has ended, as {@link Nic#observe}. */
    void observe(QueuePair queuePair, QueuePairObserver observer);

    /** Undoes {@link #observe}. */
    void forget(QueuePair queuePair, QueuePairObserver observer);

    /** Moves a queue pair to ERROR, unless its observer is another one by now. */
    void end(QueuePair queuePair, QueuePairObserver observer);

    /** As {@link #end}, but what has arrived is received and answered before. */
    void awaitEnd(QueuePair queuePair, QueuePairObserver observer);

    /** As {@link #awaitEnd}, but does not wait, so that the threads of engines may call it. */
    void requestEnd(QueuePair queuePair, QueuePairObserver observer);

    /** Runs several calls for a queue pair as one command of its engine, as {@link Nic#run}. */
    void run(QueuePair queuePair, Runnable calls);

    /** @throws IllegalArgumentException if a queue pair cannot be connected to this address, because it is that of a whole subnet. */
    void refuseBroadcast(Gid peer);

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

    /** Those of a NIC. */
    static QueuePairs of(Nic nic) {
        return new QueuePairs() {
            @Override
            public void observe(QueuePair queuePair, QueuePairObserver observer) {
                nic.observe(queuePair, observer);
            }

            @Override
            public void forget(QueuePair queuePair, QueuePairObserver observer) {
                nic.forget(queuePair, observer);
            }

            @Override
            public void end(QueuePair queuePair, QueuePairObserver observer) {
                nic.end(queuePair, observer);
            }

            @Override
            public void awaitEnd(QueuePair queuePair, QueuePairObserver observer) {
                nic.awaitEnd(queuePair, observer);
            }

            @Override
            public List<Gid> gids() {
                return IntStream.rangeClosed(1, nic.ports()).mapToObj(nic::gid).toList();
            }

            @Override
            public void requestEnd(QueuePair queuePair, QueuePairObserver observer) {
                nic.requestEnd(queuePair, observer);
            }

            @Override
            public void run(QueuePair queuePair, Runnable calls) {
                nic.run(queuePair, calls);
            }

            @Override
            public VerbFaults faults() {
                return nic.faults();
            }

            @Override
            public WaitDriver driver() {
                return nic.progress().driver();
            }

            @Override
            public void refuseBroadcast(Gid peer) {
                nic.refuseBroadcast("peer", peer);
            }
        };
    }
}
