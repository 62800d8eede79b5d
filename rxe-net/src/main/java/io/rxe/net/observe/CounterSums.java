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

    /** All of them, by the names of {@code rxe stat --json}, but sockets without a prefix. */
    public static SortedMap<String, Long> of(Nic nic, List<NetCounters> sockets) {
        SortedMap<String, Long> sums = new TreeMap<>();
        for (int index = 0; index < sockets.size(); index++) {
            EngineCounters engine = nic.engine(index).counters();
            for (NicCounter counter : NicCounter.values()) {
                sums.merge(counter.label(), engine.get(counter), Long::sum);
            }
            for (DropReason reason : DropReason.values()) {
                sums.merge("drop_" + reason.label(), engine.get(reason), Long::sum);
            }
            for (NetCounter counter : NetCounter.values()) {
                sums.merge(counter.label(), sockets.get(index).get(counter), Long::sum);
            }
        }
        return sums;
    }
}
