package io.rxe.testkit.agent;

import io.rxe.counters.NicCounter;
import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicOptions;
import io.rxe.wire.DropReason;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code agent}: our end of the scripted cases of {@code tools/kernel-peer verify}. Runs until it is killed. */
@Command(name = "agent",
    description = "Execute verbs commands that arrive as lines on a TCP connection; see tools/interop/README.md.")
public final class AgentCommand implements Callable<Integer> {
    @Option(names = "--listen", required = true, paramLabel = "PORT", description = "TCP port to listen on.")
    private int listenPort;

    @Mixin
    private final NicOptions nicOptions = new NicOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        try (RxeNic nic = nicOptions.open(spec.commandLine().getErr());
             AgentServer server = new AgentServer(listenPort, () -> new AgentSession(nic.device(), () -> counters(nic)))) {
            server.channel().closeFuture().await();
        }
        return 0;
    }

    /** The counters of the protocol, then those of drops. */
    private static Map<String, Long> counters(RxeNic nic) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (NicCounter counter : NicCounter.values()) {
            values.put(counter.label(), nic.core().counter(counter));
        }
        for (DropReason reason : DropReason.values()) {
            values.put(reason.label(), nic.core().counter(reason));
        }
        return values;
    }
}
