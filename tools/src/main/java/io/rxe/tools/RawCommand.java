package io.rxe.tools;

import io.rxe.bench.JsonText;
import io.rxe.bench.raw.RawGoodput;
import io.rxe.bench.raw.RawPeer;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.ToolFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe raw}: what {@code rxe loopback --raw} measures, between two processes. For {@code tools/compare --veth}. */
@Command(name = "raw", hidden = true, mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Measure what plain UDP sockets in Java carry between two processes; start the side with --receive first.",
        "The receiving side runs until a signal ends it."})
public final class RawCommand implements Callable<Integer> {
    private static final long WARM_UP_NS = 500_000_000L;
    private static final int LAST_PORT = 65_535;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "PEER", description = "IPv4 address of the other side.")
    private InetAddress peer;

    @Option(names = {"-d", "--dev"}, paramLabel = "ADDR", required = true, description = "IPv4 address of this side.")
    private InetAddress local;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "4790",
        description = "UDP port of both sides (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", defaultValue = "4096",
        description = "Payload of a datagram, the same on both sides (default: ${DEFAULT-VALUE}).")
    private int payloadBytes;

    @Option(names = "--receive", description = "Receive and acknowledge instead of sending.")
    private boolean receives;

    @Option(names = "--gro", paramLabel = "on|off", defaultValue = "on",
        description = "Whether the kernel coalesces what the receiving side receives (default: ${DEFAULT-VALUE}).")
    private Switch gro;

    @Option(names = {"-D", "--duration"}, paramLabel = "TIME", defaultValue = "1.5s", converter = DurationConverter.class,
        description = "Time measured, after half a second of warm-up (default: ${DEFAULT-VALUE}).")
    private long durationNs;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as JSON too; - prints it instead of the text.")
    private Path jsonFile;

    /** Values of an option that is on or off. */
    enum Switch {
        on,
        off
    }

    @Override
    public Integer call() {
        if (port < 1 || port > LAST_PORT || durationNs <= 0) {
            throw new ParameterException(spec.commandLine(), "port " + port + " is not in 1.." + LAST_PORT
                + ", or --duration is not longer than nothing");
        }
        ResultFile json = ResultFile.of("the JSON", jsonFile);
        try {
            RawPeer side = new RawPeer(local, peer, port, payloadBytes);
            if (receives) {
                side.receive(gro == Switch.on);
            } else {
                print(side.send(WARM_UP_NS, durationNs), json);
            }
            return ExitStatus.OK;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private void print(RawGoodput goodput, ResultFile json) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("payload_bytes", goodput.payloadBytes());
        fields.put("gigabits_per_second", goodput.gigabitsPerSecond());
        fields.put("frames_per_second", goodput.framesPerSecond());
        PrintWriter out = spec.commandLine().getOut();
        out.print(json.isStandardOutput() ? JsonText.of(fields) : String.format(Locale.ROOT, "%.2f Gbit/s, %.0f frames/s%n",
            goodput.gigabitsPerSecond(), goodput.framesPerSecond()));
        out.flush();
        json.write(JsonText.of(fields));
    }
}
