package io.rxe.net;

import io.rxe.counters.NicCounter;
import io.rxe.net.fault.FaultSpec;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
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
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A program of two NICs that lose packets, which uses up its direct memory and then connects queue pairs and transfers. What the engines
 * need they have, or it is on the heap, so every transfer succeeds: the program prints "good" and ends with 0, else it prints what was
 * wrong. {@link MemoryExhaustedTest} runs it.
 *
 * <pre>
 *   PORT    UDP port of both NICs
 * </pre>
 */
final class MemoryExhausted {
    private static final int ROUNDS = 12;
    private static final int WRITES = 8;
    private static final int WRITE_BYTES = 64 << 10;
    private static final int DEPTH = 16;
    private static final int PSN = 0xFFFFF0;
    /** Eight times a second: a busy machine may keep a peer from running for longer than the 0.6 s of the default. */
    private static final int TIMEOUT = 18;
    /** Longer than a busy machine stops a thread, shorter than the timeout of the test. */
    private static final long LIMIT_NS = 90_000_000_000L;

    private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
    private final Side one;
    private final Side two;
    private final ArrayDeque<Object> kept = new ArrayDeque<>();
    private final WorkCompletion done = new WorkCompletion();

    /** A NIC and its memory. */
    private static final class Side implements AutoCloseable {
        final RxeNic nic;
        final Device device;
        final ProtectionDomain domain;
        final ByteBuffer memory = ByteBuffer.allocateDirect(WRITE_BYTES);
        final MemoryRegion region;

        Side(RxeNicOptions options) throws IOException {
            nic = RxeNic.open(options);
            device = nic.device();
            domain = device.allocateProtectionDomain();
            region = domain.register(memory, AccessFlags.ALL);
        }

        @Override
        public void close() {
            nic.close();
        }

        /** Whether the device failed: takes its events. */
        boolean hasFailed() {
            boolean failed = false;
            for (AsyncEvent event = device.pollAsyncEvent(); event != null; event = device.pollAsyncEvent()) {
                failed |= event.type() == AsyncEvent.Type.DEVICE_FATAL;
            }
            return failed;
        }
    }

    private MemoryExhausted(int port) throws IOException {
        one = new Side(options("127.0.0.1", port, 1));
        two = new Side(options("127.0.0.2", port, 2));
    }

    private RxeNicOptions options(String address, int port, long seed) {
        return RxeNicOptions.defaults(address).withUdpPort(port).withCounterFile(false).withReceiveBufferBytes(1 << 20)
            .withSendBufferBytes(1 << 20).withFault(FaultSpec.parse("loss 2%").layer(seed)).withWarnings(warnings::add);
    }

    /** Runs until a verdict. */
    public static void main(String[] arguments) throws IOException {
        String wrong = new MemoryExhausted(Integer.parseInt(arguments[0])).run();
        System.out.println(wrong == null ? "good" : wrong);
        System.out.flush();
        Runtime.getRuntime().halt(wrong == null ? 0 : 1);
    }

    private String run() {
        try (Side first = one; Side second = two) {
            fill();
            for (int round = 0; round < ROUNDS; round++) {
                String wrong = transfer(round);
                if (wrong != null) {
                    return "round " + round + ": " + wrong + "; warnings: " + warnings;
                }
            }
            if (first.hasFailed() || second.hasFailed()) {
                return "a device failed; warnings: " + warnings;
            }
            return second.nic.core().counter(NicCounter.REORDER_BUFFERED) > 0 ? null
                : "no packet waited behind a gap: the run shows nothing";
        }
    }

    /** Takes all direct memory that is left. */
    private void fill() {
        for (int bytes = 1 << 20; bytes >= 1 << 10; bytes >>= 2) {
            try {
                while (true) {
                    kept.add(ByteBuffer.allocateDirect(bytes));
                }
            } catch (OutOfMemoryError full) {
                // The next smaller size.
                continue;
            }
        }
    }

    /** Connects two queue pairs and transfers; returns what was wrong, or null. */
    private String transfer(int seed) {
        CompletionQueue completions = one.device.createCompletionQueue(DEPTH);
        QueuePair from = queuePair(one, completions);
        QueuePair to = queuePair(two, two.device.createCompletionQueue(DEPTH));
        connect(from, two, to.number());
        connect(to, one, from.number());
        for (int offset = 0; offset < WRITE_BYTES; offset += Integer.BYTES) {
            one.memory.putInt(offset, offset * 31 + seed);
        }
        for (int i = 0; i < WRITES; i++) {
            from.postSend(new WorkRequest().write(two.region.address(), two.region.rKey()).add(one.region, 0, WRITE_BYTES));
        }
        long endNs = System.nanoTime() + LIMIT_NS;
        for (int completed = 0; completed < WRITES;) {
            if (completions.poll(done)) {
                completed++;
                if (!done.isSuccess()) {
                    return done.toString();
                }
            } else if (System.nanoTime() > endNs) {
                return WRITES - completed + " requests never completed";
            } else {
                Thread.onSpinWait();
            }
        }
        return one.memory.equals(two.memory) ? null : "the data is wrong";
    }

    private static QueuePair queuePair(Side side, CompletionQueue completions) {
        return side.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(DEPTH, DEPTH));
    }

    private static void connect(QueuePair queuePair, Side peer, int peerNumber) {
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.device.gid(), peer.device.udpPort()),
            PathMtu.MTU_1024, peerNumber, PSN));
        queuePair.modify(QueuePairAttributes.toReadyToSend(PSN).timeout(TIMEOUT));
    }
}
