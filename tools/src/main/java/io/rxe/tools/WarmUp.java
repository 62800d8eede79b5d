package io.rxe.tools;

import io.rxe.bench.LatencyTest;
import io.rxe.bench.PairConfig;
import io.rxe.bench.TransferFailure;
import io.rxe.bench.Workload;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;

/**
 * Lets a NIC talk to itself for a moment before the peer comes. A program that has just started takes longer to
 * answer its first packets than the 67 ms the peers of the test programs wait for an acknowledgement, since everything
 * on their way is loaded and compiled then.
 */
public final class WarmUp {
    private static final long DURATION_NS = 150_000_000L;
    private static final long STALL_NS = 1_000_000_000L;
    private static final int REQUESTS = 8;
    // Enough for first, middle and last packets; longer messages run the same code.
    private static final int MAX_SIZE_BYTES = 1 << 14;

    private WarmUp() {
    }

    /** Exchanges messages like those that will be used. A failure is left for the real exchange to report. */
    public static void run(Device device, Operation operation, int sizeBytes, PathMtu pathMtu) {
        try {
            int size = operation.isAtomic() ? Workload.ATOMIC_BYTES : Math.min(sizeBytes, MAX_SIZE_BYTES);
            new LatencyTest(device, device, new PairConfig(pathMtu, 1, REQUESTS, REQUESTS, 0), STALL_NS)
                .run(new Workload(operation, size), 0, DURATION_NS);
        } catch (TransferFailure e) {
            // Perhaps a firewall between us and ourselves; the peer may be reachable all the same.
        }
    }
}
