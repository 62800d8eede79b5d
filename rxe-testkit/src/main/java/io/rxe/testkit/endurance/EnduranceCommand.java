package io.rxe.testkit.endurance;

import io.netty.util.internal.PlatformDependent;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.wire.Gid;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code endurance}: the queue pairs of {@code tools/dev/endurance}, which starts several of these processes, kills some, and judges.
 *
 * <pre>
 *   NAME [DATAGRAMS]               on standard input: send a burst of hostile datagrams, then answer
 *   NAME COUNT=NUMBER ...          what was done so far, queue pairs, heap and direct memory in MiB
 *   DEFECT TEXT                    something that must never happen
 * </pre>
 *
 * <p>Ends when its input does.
 */
@Command(name = "endurance", description = "Keeps queue pairs connecting, transferring and disconnecting until standard input ends.")
public final class EnduranceCommand implements Callable<Integer> {
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final int LEAKED_BYTES = 256 << 10;

    @Parameters(arity = "1..*", paramLabel = "ADDR", description = "Addresses to open a NIC on.")
    private List<String> addresses;

    @Option(names = "--peers", split = ",", description = "Addresses to connect to (default: all of ADDR).")
    private List<String> peers;

    @Option(names = "--connections", required = true, description = "Connections for each NIC to keep.")
    private int connections;

    @Option(names = "--places", required = true, description = "Most queue pairs of a NIC.")
    private int places;

    @Option(names = "--fault", required = true, description = "Faults of every NIC.")
    private String fault;

    @Option(names = "--fill", description = "Begin with what fills every table that has a bound.")
    private boolean fills;

    @Option(names = "--udp-port", required = true)
    private int udpPort;

    @Option(names = "--leak", description = "Keep memory, a descriptor and a thread with each answer.")
    private boolean leaks;

    @Spec
    private CommandSpec spec;

    private final List<Site> sites = new ArrayList<>();
    private final List<Object> leaked = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Tally tally = new Tally(out);
        Random random = new Random();
        for (String address : addresses) {
            RxeNic nic = RxeNic.open(RxeNicOptions.defaults(address).withUdpPort(udpPort).withCounterFile(false)
                .withFault(FaultSpec.parse(fault).layer(random.nextLong())).withWarnings(sentence -> { }));
            List<Gid> others = (peers == null ? addresses : peers).stream().filter(peer -> !peer.equals(address)).map(Gid::parse).toList();
            sites.add(new Site(nic, others, connections, places, tally));
        }
        Hostile hostile = new Hostile(addresses, udpPort, tally);
        if (fills) {
            hostile.fill();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words.length > 1) {
                hostile.burst(Integer.parseInt(words[1]));
            }
            out.println(words[0] + answer(tally));
            out.flush();
        }
        for (Site site : sites) {
            site.close();
        }
        return 0;
    }

    private String answer(Tally tally) throws IOException {
        if (leaks) {
            leak();
        }
        // What the first collection finds unreachable may free more in its cleaner, which the second one collects.
        System.gc();
        System.gc();
        return String.format(Locale.ROOT, "%s queue_pairs=%d heap=%.2f direct=%.2f", tally, sites.stream().mapToInt(Site::queuePairs).sum(),
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / BYTES_PER_MIB, directBytes() / BYTES_PER_MIB);
    }

    /** Netty's direct buffers without a cleaner are not in the pools of Java. */
    private static long directBytes() {
        return Math.max(0, PlatformDependent.usedDirectMemory())
            + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    private void leak() throws IOException {
        Thread thread = new Thread(() -> {
            while (true) {
                LockSupport.park();
            }
        }, "planted-leak");
        thread.setDaemon(true);
        thread.start();
        leaked.addAll(List.of(thread, new byte[LEAKED_BYTES], ByteBuffer.allocateDirect(LEAKED_BYTES), new FileInputStream("/dev/null")));
    }
}
