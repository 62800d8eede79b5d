package io.rxe.tools.cli;

import io.rxe.bench.Application;
import io.rxe.bench.LatencyMeasurement;
import io.rxe.bench.PairConfig;
import io.rxe.bench.TransferFailure;
import io.rxe.bench.Workload;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;

/**
 * Exchanges messages of a NIC with itself before the peer connects. Class loading and JIT compilation would otherwise delay the first
 * responses beyond the 67 ms that peers of the test programs wait for an acknowledgement.
 */
public final class WarmUp {
    private static final long DURATION_NS = 150_000_000L;
    private static final long STALL_NS = 1_000_000_000L;
    private static final int REQUESTS = 8;
    // Has first, middle and last packets; longer messages run the same code.
    private static final int MAX_SIZE_BYTES = 1 << 14;

    private WarmUp() {
    }

    /** Exchanges messages like those of the real run, which will report a failure. */
    public static void run(Device device, Operation operation, int sizeBytes, PathMtu pathMtu) {
        try {
            new LatencyMeasurement(device, device, new PairConfig(pathMtu, 1, REQUESTS, 0), Application.CALLER, STALL_NS)
                .run(new Workload(operation, Math.min(sizeBytes, MAX_SIZE_BYTES)), 0, DURATION_NS);
        } catch (TransferFailure e) {
            // A firewall may block the NIC from reaching itself; the peer may still be reachable.
        }
    }
}
