package io.rxe.tools.endurance;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.endurance.Site.Load;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe endurance-child}: a site of {@code tools/dev/endurance} in a process of its own. Runs until its standard input ends. */
@Command(name = "endurance-child", hidden = true, mixinStandardHelpOptions = true,
    description = "Connects to the NICs of tools/dev/endurance, and prints a line for each defect it finds.")
public final class EnduranceChildCommand implements Callable<Integer> {
    private static final long LOOK_MS = 500;

    @Parameters(arity = "1..*", paramLabel = "ADDR", description = "Addresses to connect to.")
    private List<String> peers;

    @Option(names = "--connections", paramLabel = "N", required = true, description = "Connections to keep.")
    private int connections;

    @Mixin
    private final NicOptions nicOptions = new NicOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Tally tally = new Tally();
        PrintWriter out = spec.commandLine().getOut();
        AtomicBoolean ended = endOfInput();
        // The words of an opened NIC would count as defects.
        RxeNic nic = NicOptions.open(nicOptions.nicOptions(new PrintWriter(PrintWriter.nullWriter())));
        Site site = new Site(nic, peers.stream().map(Gid::parse).toList(), connections, 2 * connections, new Load(2, 0.01), tally);
        while (!ended.get() && tally.defects() == 0) {
            Thread.sleep(LOOK_MS);
        }
        site.close();
        tally.defectSentences().forEach(out::println);
        out.flush();
        return tally.defects() == 0 ? 0 : 1;
    }

    private static AtomicBoolean endOfInput() {
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    continue;
                }
            } catch (IOException e) {
                ended.set(true);
            }
            ended.set(true);
        }, "endurance-input");
        reader.setDaemon(true);
        reader.start();
        return ended;
    }
}
