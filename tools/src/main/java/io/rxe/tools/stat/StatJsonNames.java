package io.rxe.tools.stat;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.NicCounter;
import io.rxe.tools.stat.ProcessSnapshot.DeviceCounter;
import java.util.Set;

/** Names of counters in one flat map: engine and sockets both count {@code sent_bytes}, and a drop is not an event. */
final class StatJsonNames {
    /** Counted before it is known whose a packet is: the cells of queue pairs stay 0. */
    private static final Set<String> OF_DEVICE = Set.of(NicCounter.ICRC_FULL.label(), NicCounter.ICRC_INFERRED.label());

    private StatJsonNames() {
    }

    /** Whether a counter says something of a device only. */
    static boolean isOfDevice(String label) {
        return OF_DEVICE.contains(label);
    }

    static String of(DeviceCounter counter) {
        return switch (counter.typeId()) {
            case CounterLayout.TYPE_DROP -> "drop_" + counter.label();
            case CounterLayout.TYPE_NET -> "socket_" + counter.label();
            default -> counter.label();
        };
    }
}
