package io.rxe.tools.flood;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicOptions;
import io.rxe.wire.Gid;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rxe flood-server}: the target of {@code tools/flood}. Runs until its standard input ends. */
@Command(name = "flood-server", hidden = true, mixinStandardHelpOptions = true,
    description = "Receives the transfer of tools/flood and greets every connection; see docs/flood.md.")
public final class FloodServerCommand implements Callable<Integer> {
    @Option(names = "--group", paramLabel = "ADDR", description = "Multicast group a UD queue pair joins.")
    private String group;

    @Mixin
    private final NicOptions nicOptions = new NicOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        try (RxeNic nic = nicOptions.open(spec.commandLine().getErr())) {
            new FloodServer(nic, group == null ? null : Gid.parse(group), spec.commandLine().getOut()).run();
        }
        return 0;
    }
}
