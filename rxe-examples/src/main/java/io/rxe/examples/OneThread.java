package io.rxe.examples;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.port.Progress;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Two NICs without threads, driven by one thread of the application: it polls the completion queue of the first, and asks the second, whose
 * memory is written without a completion there, for progress.
 *
 * <pre>
 *   OneThread 127.0.0.1 127.0.0.2
 * </pre>
 */
public final class OneThread {
    private static final int ROUNDS = 10_000;

    private OneThread() {
    }

    /** Runs it; see above. */
    public static void main(String[] arguments) throws IOException {
        Usage.require(arguments, 2, "OneThread LOCAL-ADDRESS OTHER-LOCAL-ADDRESS");
        long sum = play(RxeNicOptions.defaults(arguments[0]), RxeNicOptions.defaults(arguments[1]), ROUNDS);
        System.out.println(ROUNDS + " WRITEs, the numbers that arrived add up to " + sum);
    }

    /**
     * Writes numbers from one NIC to the other, one at a time.
     *
     * @return the sum of the numbers that arrived: 1 + 2 + ... + rounds.
     */
    public static long play(RxeNicOptions from, RxeNicOptions to, int rounds) throws IOException {
        try (RxeNic here = RxeNic.open(from.withProgress(Progress.MANUAL));
             RxeNic there = RxeNic.open(to.withProgress(Progress.MANUAL))) {
            End writer = new End(here);
            End target = new End(there);
            writer.connect(here, there, target);
            target.connect(there, here, writer);
            WorkRequest write = new WorkRequest().write(target.region.address(), target.region.rKey())
                .add(writer.region, 0, Long.BYTES);
            WorkCompletion done = new WorkCompletion();
            long sum = 0;
            for (long round = 1; round <= rounds; round++) {
                writer.memory.putLong(0, round);
                writer.pair.postSend(write);
                // Each poll of an empty queue sends and receives for this NIC, and nothing drives the other.
                while (!writer.completions.poll(done)) {
                    there.progress();
                }
                if (!done.isSuccess()) {
                    throw new IOException(done.toString());
                }
                sum += target.memory.getLong(0);
            }
            return sum;
        }
    }

    /** One end of the connection. */
    private static final class End {
        private final ByteBuffer memory = ByteBuffer.allocateDirect(Long.BYTES);
        private final CompletionQueue completions;
        private final MemoryRegion region;
        private final QueuePair pair;

        End(RxeNic nic) {
            completions = nic.device().createCompletionQueue(16);
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            region = domain.register(memory, AccessFlags.ALL);
            pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
        }

        /** The two ends are in one program, so that they need no control connection. */
        void connect(RxeNic own, RxeNic other, End peer) {
            pair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
            pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(other.device().gid(), other.device().udpPort()),
                own.device().portMtu(), peer.pair.number(), 0));
            pair.modify(QueuePairAttributes.toReadyToSend(0));
        }
    }
}
