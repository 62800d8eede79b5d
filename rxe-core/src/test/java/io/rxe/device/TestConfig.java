package io.rxe.device;

import io.rxe.fault.VerbFaults;
import io.rxe.port.EcnOptions;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Set;

/** Configurations of NICs for tests, which say only what matters to them. */
public final class TestConfig {
    private TestConfig() {
    }

    public static NicConfig of(Gid gid, int udpPort, PathMtu portMtu, int engines) {
        return of(List.of(gid), udpPort, portMtu, engines, NicConfig.DEFAULT_WINDOW_BYTES);
    }

    public static NicConfig of(List<Gid> gids, int udpPort, PathMtu portMtu, int engines, int windowBytes) {
        return of(gids, udpPort, portMtu, engines, windowBytes, Set.of());
    }

    public static NicConfig of(List<Gid> gids, int udpPort, PathMtu portMtu, int engines, int windowBytes, Set<Gid> broadcasts) {
        return of(gids, udpPort, portMtu, engines, windowBytes, broadcasts, NicConfig.DEFAULT_REORDER_BYTES, NicConfig.DEFAULT_PATH_BYTES);
    }

    /** With the default P_Key table and congestion controller, without ECN. */
    public static NicConfig of(List<Gid> gids, int udpPort, PathMtu portMtu, int engines, int windowBytes, Set<Gid> broadcasts,
                               long reorderBytes, long pathBytes) {
        return new NicConfig(gids, udpPort, portMtu, engines, windowBytes, broadcasts, reorderBytes, pathBytes, PartitionKeys.DEFAULT,
            EcnOptions.OFF, CongestionOptions.DELAY, VerbFaults.NONE);
    }
}
