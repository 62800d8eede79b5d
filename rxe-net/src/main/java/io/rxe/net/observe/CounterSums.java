package io.rxe.net.observe;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.NicCounter;
import io.rxe.device.Nic;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.wire.DropReason;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The counters of a NIC, summed over its engines. */
public final class CounterSums {
    private CounterSums() {
    }

    /** Those that are not 0, by label. */
    public static SortedMap<String, Long> of(Nic nic, List<NetCounters> sockets) {
        SortedMap<String, Long> sums = new TreeMap<>();
        for (int index = 0; index < sockets.size(); index++) {
            EngineCounters engine = nic.engine(index).counters();
            for (NicCounter counter : NicCounter.values()) {
                add(sums, counter.label(), engine.get(counter));
            }
            for (DropReason reason : DropReason.values()) {
                add(sums, "drop_" + reason.label(), engine.get(reason));
            }
            for (NetCounter counter : NetCounter.values()) {
                add(sums, counter.label(), sockets.get(index).get(counter));
            }
        }
        return sums;
    }

    private static void add(SortedMap<String, Long> sums, String label, long count) {
        if (count != 0) {
            sums.merge(label, count, Long::sum);
        }
    }
}
