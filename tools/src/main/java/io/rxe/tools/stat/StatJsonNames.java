package io.rxe.tools.stat;

import io.rxe.counters.CounterLayout;
import io.rxe.tools.stat.ProcessSnapshot.DeviceCounter;

/** Names of counters in one flat map: engine and sockets both count {@code sent_bytes}, and a drop is not an event. */
final class StatJsonNames {
    private StatJsonNames() {
    }

    static String of(final DeviceCounter counter) {
        return switch (counter.typeId()) {
            case CounterLayout.TYPE_DROP -> "drop_" + counter.label();
            case CounterLayout.TYPE_NET -> "socket_" + counter.label();
            default -> counter.label();
        };
    }
}
