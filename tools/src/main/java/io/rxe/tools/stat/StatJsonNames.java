package io.rxe.tools.stat;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.NicCounter;
import io.rxe.tools.stat.ProcessSnapshot.DeviceCounter;
import java.util.Set;

/** Names of counters in one flat map. Prefixes distinguish drops from events, and socket counters from those of engines. */
final class StatJsonNames {
    /** Counted before the queue pair of a packet is known, so the cells of queue pairs stay 0. */
    private static final Set<String> OF_DEVICE = Set.of(NicCounter.ICRC_FULL.label(), NicCounter.ICRC_INFERRED.label());

    private StatJsonNames() {
    }

    /** Whether only devices have a counter. */
    static boolean isOfDevice(String label) {
        return OF_DEVICE.contains(label);
    }

    static String of(DeviceCounter counter) {
        return switch (counter.typeId()) {
            case CounterLayout.TYPE_DROP -> "drop_" + counter.label();
            case CounterLayout.TYPE_NET -> "socket_" + counter.label();
            case CounterLayout.TYPE_FAULT -> "verbs_fault " + counter.label();
            default -> counter.label();
        };
    }
}
