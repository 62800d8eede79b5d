package io.rxe.tools.rdmacm;

import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rxe udaddy}: udaddy of rdmacm-utils on our NIC. */
@Command(name = "udaddy", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Find a datagram service with connection management and exchange messages with it, as udaddy does.",
        "Without -s this is the server and waits for the number of clients given by -c."},
    footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0, our address being 10.0.0.1:", "  here   rxe udaddy -b 10.0.0.1",
        "  there  udaddy -s 10.0.0.1", "or the other way round:", "  there  udaddy", "  here   rxe udaddy -s 10.0.0.2"})
public final class UdaddyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nicOptions;

    @Mixin
    private UdaddyOptions options;

    @Mixin
    private ConnectOptions connecting;

    @Override
    public Integer call() {
        options.check(connecting, nicOptions);
        PrintWriter out = spec.commandLine().getOut();
        int status = options.server() == null ? serve(out) : connect(out);
        out.println("test complete");
        out.println("return status " + status);
        out.flush();
        return status == 0 ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private int serve(PrintWriter out) {
        PrintWriter err = spec.commandLine().getErr();
        connecting.bindServer(nicOptions, options.bound(), "-b", err);
        out.println("udaddy: starting server");
        out.flush();
        try (ManagedNic nic = ManagedNic.open(nicOptions, UdaddyRun.completions(options), err);
             Listener listener = nic.listen(PortSpace.UDP, options.port(), options.nodes());
             UdaddyRun run = new UdaddyRun(nic, options, connecting, out, err)) {
            assert listener.port() == options.port();
            int status = run.runServer();
            nic.linger(connecting.lingerNs());
            return status;
        }
    }

    private int connect(PrintWriter out) {
        PrintWriter err = spec.commandLine().getErr();
        InetAddress server = HostNames.resolve(options.server(), connecting.givenAddress(nicOptions, options.bound()));
        connecting.bindClient(nicOptions, options.bound(), server);
        out.println("udaddy: starting client");
        out.flush();
        try (ManagedNic nic = ManagedNic.open(nicOptions, UdaddyRun.completions(options), err);
             UdaddyRun run = new UdaddyRun(nic, options, connecting, out, err)) {
            return run.runClient(nic.connector(HostNames.gid(server), "-b"), HostNames.gid(server),
                HostNames.text(server) + " UDP service " + options.port());
        }
    }
}
