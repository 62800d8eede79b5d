package io.rxe.tools.stat;

import io.rxe.bench.JsonText;
import io.rxe.counters.CountersView;
import io.rxe.counters.CountersView.QueuePairRow;
import io.rxe.net.observe.CounterFolder;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.terminal.StatusLine;
import io.rxe.verbs.QueuePairType;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe stat}: the counters of rxe processes, while they run and after. */
@Command(name = "stat", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Show the counters of running rxe processes: devices, then queue pairs.",
        "With a process id also of a process that has ended; the counters of the last few are kept."},
    footer = {"", "For example:", "  rxe stat", "  rxe stat --watch", "  rxe stat ib_write_bw", "  rxe stat ib_write_bw --html live.html",
        "  rxe stat 4711 --json -"})
public final class StatCommand implements Callable<Integer> {
    private static final int DEFAULT_QUEUE_PAIRS = 20;
    private static final long NS_PER_MS = 1_000_000;
    private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

    private final Callable<Integer> dump;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "PID|ADDRESS|NAME", arity = "0..1", description = "Show only this process, running or ended; those that have"
        + " or had a NIC at an address; or those with a part of a name.")
    private String wanted;

    /** The process that is wanted; null where it is none by its ID. */
    private Long processId;

    @Option(names = {"-w", "--watch"}, description = "Repeat until interrupted.")
    private boolean watch;

    @Option(names = {"-i", "--interval"}, paramLabel = "TIME", defaultValue = "1s", converter = DurationConverter.class,
        description = "Time between two samples, for the rates (default: ${DEFAULT-VALUE}); 0 shows one sample without rates.")
    private long intervalNs;

    @Option(names = "--count", paramLabel = "N", description = "With --watch: stop after N samples.")
    private Integer count;

    @Option(names = "--all", description = "Show all queue pairs, not only the " + DEFAULT_QUEUE_PAIRS + " busiest of each device.")
    private boolean all;

    @Option(names = "--closed", description = "Also show devices and queue pairs that a running process has closed.")
    private boolean withClosed;

    @Option(names = "--json", paramLabel = "FILE", description = "Write everything as JSON instead; - prints it.")
    private Path jsonFile;

    @Option(names = "--html", paramLabel = "FILE", description = "Draw PSN over time of the process into this file, from the capture that"
        + " it writes, again and again until it ends. The page follows in a browser.")
    private Path page;

    @Option(names = "--folder", paramLabel = "DIR", hidden = true, description = "Folder of the counter files.")
    private Path folder;

    /** @param dump the command that draws captures. */
    public StatCommand(Callable<Integer> dump) {
        this.dump = dump;
    }

    @Override
    public Integer call() {
        if (count != null && (count < 1 || !watch && page == null)) {
            throw new ParameterException(spec.commandLine(), "--count " + count + " needs --watch or --html, and must be at least 1");
        }
        processId = wanted != null && wanted.matches("[0-9]{1,18}") ? Long.valueOf(wanted) : null;
        PrintWriter out = spec.commandLine().getOut();
        ResultFile json = jsonFile == null ? null : ResultFile.of("the JSON", jsonFile);
        Map<Long, ProcessSnapshot> before = Map.of();
        Map<Long, ProcessSnapshot> now = read();
        if (page != null) {
            return drawLive(now, out);
        }
        if (json == null && intervalNs > 0 && now.values().stream().anyMatch(ProcessSnapshot::running)) {
            before = now;
            pause();
            now = read();
        }
        for (int samples = 1; true; samples++) {
            if (watch && json == null && StatusLine.isScreen()) {
                out.print(CLEAR_SCREEN);
            }
            show(json, out, now, before);
            if (!watch || count != null && samples >= count || out.checkError()) {
                return ExitStatus.OK;
            }
            pause();
            before = now;
            now = read();
        }
    }

    private int drawLive(Map<Long, ProcessSnapshot> found, PrintWriter out) {
        List<Long> running = found.values().stream().filter(ProcessSnapshot::running).map(ProcessSnapshot::processId).toList();
        if (running.size() != 1) {
            throw new ToolFailure("--html draws one process, and " + (running.isEmpty() ? "none is running" : running + " are running")
                + ": give the process ID of a running one");
        }
        long process = running.get(0);
        LivePicture picture = new LivePicture(new CommandLine(dump), page, process);
        out.println("drawing " + page + " from " + picture.capture() + " until process " + process + " ends");
        out.flush();
        long periodMs = Math.max(1, intervalNs / NS_PER_MS);
        for (int samples = 1; ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false) && intervalNs > 0
            && (count == null || samples < count); samples++) {
            picture.draw(periodMs);
            pause();
        }
        picture.draw(0);
        return ExitStatus.OK;
    }

    private void show(ResultFile json, PrintWriter out, Map<Long, ProcessSnapshot> now, Map<Long, ProcessSnapshot> before) {
        if (json == null) {
            out.print(text(now, before));
        } else {
            json.writeOrPrint(JsonText.of(now.values().stream().map(StatCommand::tree).toList()), out);
        }
        out.flush();
    }

    private void pause() {
        try {
            Thread.sleep(intervalNs / NS_PER_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolFailure("interrupted");
        }
    }

    private Map<Long, ProcessSnapshot> read() {
        Map<Long, ProcessSnapshot> found = new LinkedHashMap<>();
        for (Path place : folder == null ? CounterFolder.candidates() : List.of(folder)) {
            for (Path file : CounterFolder.files(place)) {
                ProcessSnapshot process = read(file);
                if (process != null && isWanted(process)) {
                    found.merge(process.processId(), process, ProcessSnapshot::and);
                }
            }
        }
        // The commands of its peers have the address, too.
        boolean isAddress = found.values().stream().anyMatch(this::hasAddress);
        found.values().removeIf(process -> isAddress && !hasAddress(process));
        if (found.isEmpty() && (processId != null || wanted != null && !watch && page == null)) {
            throw new ToolFailure((processId == null ? "no process with the name or address " + wanted + " has" : "process "
                + wanted + " has no") + " counters: `rxe stat` lists those that have: processes of this user that run a NIC, and the last"
                + " few that have ended");
        }
        return found;
    }

    private boolean isWanted(ProcessSnapshot process) {
        return processId != null ? processId == process.processId() : wanted == null || process.command().contains(wanted)
            || hasAddress(process);
    }

    private boolean hasAddress(ProcessSnapshot process) {
        return process.devices().stream().anyMatch(device -> device.address().address().equalsIgnoreCase(wanted));
    }

    private ProcessSnapshot read(Path file) {
        try {
            CountersView view = CounterFolder.open(file);
            return ProcessSnapshot.of(view, CounterFolder.isRunning(view), System.nanoTime());
        } catch (IOException | IllegalArgumentException e) {
            // The file is being created or removed, or is not ours. Reported only for the process asked for.
            if (processId != null && file.getFileName().toString().startsWith(processId + ".") && Files.exists(file)) {
                throw new ToolFailure(file + ": " + e.getMessage(), e);
            }
            return null;
        }
    }

    private String text(Map<Long, ProcessSnapshot> now, Map<Long, ProcessSnapshot> before) {
        StringBuilder text = new StringBuilder();
        List<ProcessSnapshot> ended = new ArrayList<>();
        for (ProcessSnapshot process : now.values()) {
            if (process.running() || processId != null) {
                boolean comparable = process.running() && before.containsKey(process.processId());
                text.append(StatText.of(process, comparable ? before.get(process.processId()) : null, withClosed,
                    all ? Integer.MAX_VALUE : DEFAULT_QUEUE_PAIRS)).append('\n');
            } else {
                ended.add(process);
            }
        }
        if (text.length() == 0) {
            text.append("no rxe process of this user is running").append(wanted == null ? "" : " with the name or address " + wanted)
                .append("\n\n");
        }
        if (!ended.isEmpty()) {
            text.append("ended; `rxe stat PID` shows the last counters:\n");
            ended.forEach(process -> text.append(StatText.title(process)));
        }
        return text.toString();
    }

    private static Map<String, Object> tree(ProcessSnapshot process) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("pid", process.processId());
        tree.put("command", process.command());
        tree.put("running", process.running());
        tree.put("start_ms", process.startMs());
        tree.put("end_ms", process.endMs());
        tree.put("devices", process.devices().stream().map(device -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("address", device.address().address());
            one.put("udp_port", device.udpPort());
            one.put("engines", device.engines());
            one.put("closed", device.closed());
            Map<String, Object> counters = new LinkedHashMap<>();
            device.counters().forEach((name, value) -> counters.put(StatJsonNames.of(name), value));
            one.put("counters", counters);
            one.put("queue_pairs", device.queuePairs().stream().map(StatCommand::tree).toList());
            return one;
        }).toList());
        return tree;
    }

    private static Map<String, Object> tree(QueuePairRow row) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("qpn", row.number());
        tree.put("open", row.open());
        QueuePairType[] types = QueuePairType.values();
        tree.put("transport", row.transport() < types.length ? types[row.transport()].name() : "unknown");
        tree.put("engine", row.engine());
        tree.put("peer", row.peer() == null ? null : row.peer().address().toLowerCase());
        tree.put("peer_qpn", row.peerNumber());
        row.cells().forEach((name, value) -> {
            if (!StatJsonNames.isOfDevice(name)) {
                tree.put(name, value);
            }
        });
        return tree;
    }
}
