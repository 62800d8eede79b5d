package io.rxe.tools.stat;

import io.rxe.counters.CountersView;
import io.rxe.counters.CountersView.Counter;
import io.rxe.counters.CountersView.QueuePairRow;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The counters of one process at one moment.
 *
 * @param running whether the process was alive.
 * @param startMs when it started, in ms since 1970.
 * @param endMs   when it closed its last device, in ms since 1970; 0 if one is open or was when the process ended.
 * @param takenNs when the counters were read, on the clock of {@link System#nanoTime}.
 */
record ProcessSnapshot(long processId, String command, boolean running, long startMs, long endMs, long takenNs,
                       List<DeviceSnapshot> devices) {
    private static final String MAIN_CLASS = "io.rxe.tools.Main";

    /**
     * One device: its engines' counters summed, and its queue pairs.
     *
     * @param closed     whether it is closed; then these are its last counters.
     * @param counters   by name; of high-water marks the maximum over the engines.
     * @param queuePairs open ones first.
     */
    record DeviceSnapshot(Gid address, int udpPort, int engines, boolean closed, Map<DeviceCounter, Long> counters,
                          List<QueuePairRow> queuePairs) {
        long get(int typeId, String label) {
            return counters.getOrDefault(new DeviceCounter(typeId, label), 0L);
        }
    }

    /** Name of a counter within its family. */
    record DeviceCounter(int typeId, String label) {
    }

    private record Name(Gid address, int udpPort) {
    }

    static ProcessSnapshot of(CountersView view, boolean running, long takenNs) {
        Map<Name, List<Counter>> byDevice = new LinkedHashMap<>();
        view.counters().forEach(counter ->
            byDevice.computeIfAbsent(new Name(counter.device(), counter.udpPort()), name -> new ArrayList<>()).add(counter));
        Map<Name, List<QueuePairRow>> rows = new LinkedHashMap<>();
        view.queuePairs().forEach(row ->
            rows.computeIfAbsent(new Name(row.device(), row.udpPort()), name -> new ArrayList<>()).add(row));
        List<DeviceSnapshot> devices = new ArrayList<>();
        byDevice.forEach((name, counters) -> devices.add(device(name, counters, rows.getOrDefault(name, List.of()))));
        return new ProcessSnapshot(view.processId(), command(view.command()), running, view.startMs(), view.endMs(), takenNs, devices);
    }

    /** With the devices of another file of this process, as of another class loader; an earlier process with its ID is another. */
    ProcessSnapshot and(ProcessSnapshot other) {
        List<DeviceSnapshot> all = new ArrayList<>(devices);
        if (other.startMs == startMs) {
            all.addAll(other.devices);
        }
        return new ProcessSnapshot(processId, command, running, startMs, endMs, takenNs, all);
    }

    private static DeviceSnapshot device(Name name, List<Counter> counters, List<QueuePairRow> rows) {
        Map<DeviceCounter, Long> sums = new LinkedHashMap<>();
        int engines = 0;
        boolean closed = false;
        for (Counter counter : counters) {
            DeviceCounter key = new DeviceCounter(counter.typeId(), counter.label());
            sums.merge(key, counter.value(), isMark(counter.label()) ? Math::max : Long::sum);
            engines = Math.max(engines, counter.engine() + 1);
            closed |= counter.closed();
        }
        List<QueuePairRow> sorted = new ArrayList<>(rows);
        sorted.sort((one, two) -> Boolean.compare(two.open(), one.open()));
        return new DeviceSnapshot(name.address(), name.udpPort(), engines, closed, sums, sorted);
    }

    private static boolean isMark(String label) {
        return label.endsWith("high_water") || label.startsWith("largest_");
    }

    private static String command(String command) {
        return command.startsWith(MAIN_CLASS) ? "rxe" + command.substring(MAIN_CLASS.length()) : command;
    }
}
