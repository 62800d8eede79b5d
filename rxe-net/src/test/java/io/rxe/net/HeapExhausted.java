package io.rxe.net;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Connector;
import io.rxe.cm.PortSpace;
import io.rxe.net.fault.FaultSpec;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * A program of two NICs that lose packets, which connects queue pairs and transfers until the heap is used up, goes on without heap for
 * a while, and then frees what it took. Each NIC must have recovered, so that a new connection works, or have failed as a whole:
 * DEVICE_FATAL, verbs that refuse, no thread that waits. Either way every request completes, and close works. It prints "good" and ends
 * with 0 then, else it prints what was wrong. {@link MemoryExhaustedTest} runs it.
 *
 * <pre>
 *   PORT    UDP port of both NICs
 * </pre>
 */
final class HeapExhausted {
    private static final int REQUESTS = 256;
    private static final int WRITES = 4;
    private static final int WRITE_BYTES = 32 << 10;
    private static final int COMPLETIONS = 8192;
    private static final int PSN = 0xFFFFF0;
    /** Eight times a second: a busy machine may keep a peer from running for longer than the 0.6 s of the default. */
    private static final int TIMEOUT = 18;
    private static final int CM_PORT = 7471;
    private static final int HOG_BYTES = 1 << 20;
    /** Near the end each allocation costs a collection. */
    private static final int LEAST_HOG_BYTES = 256;
    /** Left by the first queue pairs, so that they connect without a collection for each, and no collection takes long. */
    private static final long FREE_BYTES = 18 << 20;
    private static final int ROUNDS_WITHOUT_HEAP = 20;
    /** Queue pairs that a failure shows. */
    private static final int SHOWN = 4;
    /** Longer than a busy machine stops a thread, shorter than the timeout of the test. */
    private static final long LIMIT_NS = 60_000_000_000L;

    /** A NIC and what waits for it. */
    private static final class Side {
        final RxeNic nic;
        final Device device;
        final ProtectionDomain domain;
        final MemoryRegion region;
        final CompletionQueue completions;
        final CompletionChannel channel = new CompletionChannel();
        final CmEventChannel events = new CmEventChannel();
        final List<Thread> waiters = new ArrayList<>();
        boolean failed;

        Side(RxeNicOptions options) throws IOException {
            nic = RxeNic.open(options);
            device = nic.device();
            domain = device.allocateProtectionDomain();
            region = domain.register(ByteBuffer.allocateDirect(WRITE_BYTES), AccessFlags.ALL);
            completions = device.createCompletionQueue(COMPLETIONS);
            device.createCompletionQueue(1, channel).requestNotification(false);
            nic.connections().listen(events, PortSpace.TCP, CM_PORT);
            waiters.add(waiter(() -> channel.await(Long.MAX_VALUE)));
            waiters.add(waiter(() -> events.await(Long.MAX_VALUE)));
        }

        /** A thread that waits until nothing can arrive any more. */
        private Thread waiter(Callable<Object> wait) {
            Thread thread = new Thread(() -> {
                boolean waiting = true;
                while (waiting) {
                    try {
                        // A request to connect is left unanswered.
                        waiting = wait.call() != null;
                    } catch (OutOfMemoryError e) {
                        continue;
                    } catch (Exception e) {
                        waiting = false;
                    }
                }
            }, "waiter");
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        /** Takes the device's events. */
        void takeEvents() {
            for (AsyncEvent event = device.pollAsyncEvent(); event != null; event = device.pollAsyncEvent()) {
                failed |= event.type() == AsyncEvent.Type.DEVICE_FATAL;
            }
        }

        boolean isAnyoneWaiting() {
            return waiters.stream().anyMatch(Thread::isAlive);
        }

        /** Where its threads wait. */
        private String stacks() {
            return waiters.stream().filter(Thread::isAlive).map(thread -> thread + " at " + List.of(thread.getStackTrace())).toList()
                + " for " + channel + " of " + device;
        }
    }

    private final Side one;
    private final Side two;
    private final Connector connector;
    private final List<Object> hog = new ArrayList<>(1 << 16);
    private final List<QueuePair> senders = new ArrayList<>(1 << 12);
    private final WorkCompletion done = new WorkCompletion();
    private final WorkRequest write;
    private int posted;
    private int completed;
    /** How a verb refused, as those of a failed device do; null while none did. */
    private RuntimeException refusal;

    private HeapExhausted(int port) throws IOException {
        one = new Side(options("127.0.0.1", port, 1));
        two = new Side(options("127.0.0.2", port, 2));
        connector = one.nic.connections().connector(one.events);
        write = new WorkRequest().write(two.region.address(), two.region.rKey()).add(one.region, 0, WRITE_BYTES);
    }

    private static RxeNicOptions options(String address, int port, long seed) {
        return RxeNicOptions.defaults(address).withUdpPort(port).withCounterFile(false).withReceiveBufferBytes(1 << 20)
            .withSendBufferBytes(1 << 20).withFault(FaultSpec.parse("loss 2%").layer(seed)).withWarnings(sentence -> { });
    }

    /** Runs until a verdict. */
    public static void main(String[] arguments) throws IOException {
        HeapExhausted program = new HeapExhausted(Integer.parseInt(arguments[0]));
        String wrong;
        try {
            wrong = program.run();
        } catch (RuntimeException | Error e) {
            program.hog.clear();
            wrong = e + " at " + List.of(e.getStackTrace());
        }
        System.out.println(wrong == null ? "good" : wrong);
        System.out.flush();
        Runtime.getRuntime().halt(wrong == null ? 0 : 1);
    }

    private String run() {
        // On JDK 25 a lambda whose first use lacks heap can throw BootstrapMethodError, so this thread uses its lambdas once before.
        connect();
        goOn();
        useUpHeap();
        for (int round = 0; round < ROUNDS_WITHOUT_HEAP; round++) {
            goOn();
            LockSupport.parkNanos(1_000_000);
        }
        hog.clear();
        String wrong = verdict();
        one.nic.close();
        two.nic.close();
        if (wrong == null && !comesTrue(() -> !one.isAnyoneWaiting() && !two.isAnyoneWaiting())) {
            wrong = "a thread still waits for a closed NIC: " + one.stacks() + two.stacks();
        }
        System.out.println(senders.size() + " queue pairs, " + posted + " requests, failed " + one.failed + " " + two.failed);
        return wrong;
    }

    private void useUpHeap() {
        while (freeBytes() > FREE_BYTES) {
            connect();
            post();
            takeCompletions();
        }
        for (int bytes = HOG_BYTES; bytes >= LEAST_HOG_BYTES; bytes /= 2) {
            hog(bytes);
        }
    }

    private static long freeBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }

    private void hog(int bytes) {
        try {
            while (true) {
                hog.add(new byte[bytes]);
            }
        } catch (OutOfMemoryError full) {
            // The next smaller size.
            return;
        }
    }

    /** Connects two queue pairs. */
    private void connect() {
        QueuePair from = queuePair(one);
        QueuePair to = queuePair(two);
        connect(from, two, to.number());
        connect(to, one, from.number());
        senders.add(from);
    }

    private static QueuePair queuePair(Side side) {
        return side.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, side.completions, side.completions)
            .withRequests(REQUESTS, REQUESTS));
    }

    private static void connect(QueuePair queuePair, Side peer, int peerNumber) {
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.device.gid(), peer.device.udpPort()),
            PathMtu.MTU_1024, peerNumber, PSN));
        queuePair.modify(QueuePairAttributes.toReadyToSend(PSN).timeout(TIMEOUT));
    }

    private void post() {
        for (int i = 0; i < WRITES; i++) {
            if (senders.get((posted + i) % senders.size()).postSend(write)) {
                posted++;
            }
        }
    }

    /**
     * Completes what was posted and posts anew; connects two queue pairs, and one through connection management, which nobody answers.
     * What the application has no memory for it did not begin.
     */
    private void goOn() {
        try {
            takeCompletions();
            post();
        } catch (OutOfMemoryError e) {
            // Not begun.
        } catch (IllegalStateException e) {
            refusal = e;
        }
        try {
            connect();
        } catch (OutOfMemoryError e) {
            // Not begun.
        } catch (IllegalStateException e) {
            refusal = e;
        }
        try {
            QueuePair queuePair = queuePair(one);
            ConnectionService.prepare(queuePair);
            connector.connect(queuePair, two.device.gid(), CM_PORT, new ConnectParameters());
        } catch (OutOfMemoryError e) {
            // Not begun.
        } catch (IllegalStateException e) {
            refusal = e;
        }
    }

    private void takeEvents() {
        one.takeEvents();
        two.takeEvents();
    }

    private void takeCompletions() {
        while (one.completions.poll(done)) {
            completed += done.operation() == Operation.RDMA_WRITE ? 1 : 0;
        }
    }

    private String verdict() {
        if (!comesTrue(this::isEverythingCompleted)) {
            return posted - completed + " of " + posted + " requests never completed, refused: " + refusal + "; " + one.device + "; "
                + two.device + "; " + senders.stream().filter(pair -> pair.outstandingSends() > 0).limit(SHOWN).toList();
        }
        // A verb may refuse a moment before the event says why.
        if (refusal != null && !comesTrue(this::isAnyFailed)) {
            return "a verb refused although no device failed: " + refusal + " at " + List.of(refusal.getStackTrace());
        }
        takeEvents();
        for (Side side : List.of(one, two)) {
            if (side.failed) {
                String wrong = verdictOfFailed(side);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return one.failed || two.failed || comesTrue(this::isNewConnectionServed) ? null
            : "no device failed, and a new connection does not work";
    }

    private boolean isAnyFailed() {
        takeEvents();
        return one.failed || two.failed;
    }

    private boolean isEverythingCompleted() {
        try {
            takeCompletions();
        } catch (IllegalStateException e) {
            // The device failed: this was all.
            refusal = e;
        }
        return posted == completed;
    }

    private String verdictOfFailed(Side side) {
        try {
            side.device.allocateProtectionDomain();
            return "a failed device allocates";
        } catch (IllegalStateException e) {
            return !e.getMessage().contains("close the NIC") && !e.getMessage().contains("open another") ? e.getMessage()
                : comesTrue(() -> !side.isAnyoneWaiting()) ? null : "a thread still waits for a failed device: " + side.stacks();
        }
    }

    private boolean isNewConnectionServed() {
        connect();
        QueuePair fresh = senders.get(senders.size() - 1);
        if (!fresh.postSend(write)) {
            return false;
        }
        posted++;
        return comesTrue(() -> one.completions.poll(done)) && done.isSuccess();
    }

    private static boolean comesTrue(Callable<Boolean> condition) {
        long endNs = System.nanoTime() + LIMIT_NS;
        try {
            while (!condition.call()) {
                if (System.nanoTime() > endNs) {
                    return false;
                }
                Thread.sleep(1);
            }
            return true;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
