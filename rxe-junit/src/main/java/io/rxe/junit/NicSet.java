package io.rxe.junit;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.VerbsFaultSpec;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/** The NICs of one test, and their reports. */
final class NicSet {
    private static final int MAX_NICS = 200;
    private static final long RING_BYTES = 16 << 20;
    private static final int BLOCKS = 250 * 250;
    /** Tests of one process that run at the same time use different addresses; processes mostly do. */
    private static final AtomicInteger NEXT_BLOCK = new AtomicInteger((int) (ProcessHandle.current().pid() * 7919 % BLOCKS));

    private final List<RxeNic> nics = new ArrayList<>();
    private final Set<Integer> ports = new HashSet<>();
    private final ReportFolder folder;

    private NicSet(ReportFolder folder) {
        this.folder = folder;
    }

    /** Opens the NICs; if one cannot be opened, closes the others. */
    static NicSet open(RxeNics wanted, ReportFolder folder) throws IOException {
        if (wanted.value() < 1 || wanted.value() > MAX_NICS) {
            throw new ExtensionConfigurationException("@RxeNics(" + wanted.value() + "): the number of NICs is 1 to " + MAX_NICS);
        }
        FaultSpec fault = wanted.fault().isBlank() ? null : parse("fault", wanted.fault(), FaultSpec::parse);
        VerbsFaultSpec verbsFault = wanted.verbsFault().isBlank() ? null
            : parse("verbsFault", wanted.verbsFault(), VerbsFaultSpec::parse);
        folder.create();
        NicSet set = new NicSet(folder);
        String[] addresses = addresses(wanted.value());
        int udpPort = freeUdpPort(addresses);
        try {
            for (int index = 0; index < addresses.length; index++) {
                RxeNicOptions options = RxeNicOptions.defaults(addresses[index]).withUdpPort(udpPort).withEngines(wanted.engines())
                    .withSeed(wanted.seed() + index).withCaptureFile(folder.file("nic-" + index + ".pcapng"))
                    .withCaptureRingBytes(RING_BYTES);
                boolean isLast = index == addresses.length - 1;
                if (isLast && fault != null) {
                    options = options.withFault(fault.layer(wanted.seed()));
                }
                if (isLast && verbsFault != null) {
                    options = options.withVerbsFault(verbsFault.faults(wanted.seed()));
                }
                set.nics.add(RxeNic.open(options));
            }
        } catch (Throwable e) {
            set.close(false);
            throw e;
        }
        return set;
    }

    private static <T> T parse(String name, String fault, Function<String, T> parser) {
        try {
            return parser.apply(fault);
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException("@RxeNics(" + name + " = \"" + fault + "\"): " + e.getMessage(), e);
        }
    }

    /** Neighbours in a block of loopback addresses, which no network has to know. */
    private static String[] addresses(int count) {
        int block = Math.floorMod(NEXT_BLOCK.getAndIncrement(), BLOCKS);
        String[] addresses = new String[count];
        for (int index = 0; index < count; index++) {
            addresses[index] = "127." + (1 + block / 250) + "." + (1 + block % 250) + "." + (1 + index);
        }
        return addresses;
    }

    private static int freeUdpPort(String... addresses) throws IOException {
        while (true) {
            int port;
            try (DatagramSocket first = new DatagramSocket(0, InetAddress.getByName(addresses[0]))) {
                port = first.getLocalPort();
            }
            if (isFree(port, addresses)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port, String... addresses) throws IOException {
        for (String address : addresses) {
            try (DatagramSocket socket = new DatagramSocket(port, InetAddress.getByName(address))) {
                if (!socket.isBound()) {
                    return false;
                }
            } catch (BindException e) {
                return false;
            }
        }
        return true;
    }

    RxeNic get(int position) {
        if (position >= nics.size()) {
            throw new ParameterResolutionException("the test has " + (position + 1) + " or more parameters of type RxeNic, and @RxeNics("
                + nics.size() + ") opens " + nics.size() + ": raise the number");
        }
        return nics.get(position);
    }

    RxeNic[] all() {
        return nics.toArray(new RxeNic[0]);
    }

    int freePort() {
        try {
            while (true) {
                try (ServerSocket socket = new ServerSocket(0)) {
                    if (ports.add(socket.getLocalPort())) {
                        return socket.getLocalPort();
                    }
                }
            }
        } catch (IOException e) {
            throw new ParameterResolutionException("no free port for @FreePort: " + e.getMessage(), e);
        }
    }

    /** Closes the NICs. Those of a test that failed leave their reports, the others nothing. */
    void close(boolean failed) throws IOException {
        // A test that was interrupted in a wait mostly leaves its thread so, and such a thread writes no file.
        boolean isInterrupted = Thread.interrupted();
        try {
            if (failed) {
                report();
            }
        } finally {
            nics.forEach(RxeNic::close);
            if (!failed) {
                folder.delete();
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void report() {
        for (int index = 0; index < nics.size(); index++) {
            RxeNic nic = nics.get(index);
            List<String> lines = new ArrayList<>(List.of(nic.toString()));
            nic.countersByName().entrySet().stream().filter(counter -> counter.getValue() != 0)
                .forEach(counter -> lines.add(counter.getKey() + " " + counter.getValue()));
            folder.write("nic-" + index + "-counters.txt", lines);
            nic.writeCapture();
        }
        System.err.println("rxe-junit: captures and counters are in " + folder.path());
    }
}
