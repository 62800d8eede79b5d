package io.rxe.tools.flood;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicOptions;
import io.rxe.wire.Gid;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe flood-client}: the honest peer of {@code tools/flood}. Runs until its standard input ends. */
@Command(name = "flood-client", hidden = true, mixinStandardHelpOptions = true,
    description = "Sends the transfer of tools/flood and connects ten times a second; see docs/flood.md.")
public final class FloodClientCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ADDR", description = "Address of the flood-server.")
    private String server;

    @Mixin
    private final NicOptions nicOptions = new NicOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        try (RxeNic nic = nicOptions.open(spec.commandLine().getErr())) {
            new FloodClient(nic, Gid.parse(server), spec.commandLine().getOut()).run();
        }
        return 0;
    }
}
