package io.rxe.disni;

import io.netty.channel.unix.Errors.NativeIoException;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.fault.VerbFaults;
import io.rxe.net.InterfaceInfo;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.process.FaultReport;
import io.rxe.net.process.ProcessSettings;
import io.rxe.net.process.Sentences;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The NIC of the process. It is opened when the program first binds or resolves an address, since that may choose the address of the NIC,
 * and closed when the process ends. Any thread.
 */
final class LocalNic {
    private static final int LAST_LOOPBACK = 254;
    /** What a program calls before it names an address. */
    private static final List<Verb> BEFORE = List.of(Verb.RDMA_CREATE_EVENT_CHANNEL, Verb.RDMA_CREATE_ID);

    private final ProcessSettings settings;
    private final Opener opener;
    private DisniContext context;
    /** Whether {@link #onCall} has looked at the settings. */
    private boolean called;

    interface Opener {
        RxeNic open(RxeNicOptions options) throws IOException;
    }

    LocalNic(ProcessSettings settings) {
        this(settings, RxeNic::open);
    }

    LocalNic(ProcessSettings settings, Opener opener) {
        this.settings = settings;
        this.opener = opener;
    }

    /**
     * The NIC at a local address, for an id that is bound.
     *
     * @param local may be the unspecified address: that of the NIC, whichever it is. So is one of loopback where the NIC is not on
     *              loopback, as for rdma_cm of programs in C.
     * @throws RuntimeException {@link VerbFailure} when the NIC has another address.
     * @throws IOException when the NIC cannot be opened.
     */
    synchronized DisniContext at(InetAddress local) throws IOException {
        if (context == null) {
            if (settings.device() != null || !local.isAnyLocalAddress()) {
                open(local.getHostAddress());
            } else {
                openOnLoopback();
            }
        }
        InetAddress present = context.address();
        boolean isAny = local.isAnyLocalAddress() || local.isLoopbackAddress() && !present.isLoopbackAddress();
        if (!isAny && !local.equals(present)) {
            throw VerbFailure.of(VerbError.EADDRNOTAVAIL, local.getHostAddress() + " is not " + present.getHostAddress()
                + ", the address of the NIC: a process has one");
        }
        return context;
    }

    /**
     * The NIC that packets for a peer leave from, for an id that resolves an address.
     *
     * @throws IOException when the NIC cannot be opened, or there is no way to the peer.
     */
    synchronized DisniContext toward(InetAddress peer) throws IOException {
        if (context == null) {
            if (settings.device() == null && peer.isLoopbackAddress() && peer.getAddress().length == 4) {
                openOnLoopback();
            } else {
                open(settings.device() == null ? InterfaceInfo.towards(peer.getHostAddress()).getHostAddress() : null);
            }
        }
        return context;
    }

    /**
     * A call begins that needs no NIC: one that a fault is about opens the NIC, as an id would that names no address.
     *
     * @throws IOException when the NIC cannot be opened.
     */
    synchronized void onCall(Verb verb) throws IOException {
        if (context == null && !called) {
            called = true;
            VerbFaults faults = settings.options("127.0.0.1").verbsFault();
            if (faults != null && BEFORE.stream().anyMatch(faults::concerns)) {
                at(InetAddress.getByAddress(new byte[4]));
            }
        }
        if (context != null) {
            context.onCall(verb);
        }
    }

    /** @param otherwise the address where the settings name none; null where it is not needed. */
    private void open(String otherwise) throws IOException {
        RxeNicOptions options = settings.options(settings.device() == null ? otherwise : settings.device());
        RxeNic nic = opener.open(options);
        if (LastHook.run(() -> close(nic))) {
            // Hooks of the program may use them: with an adapter they work to the end.
            nic.keepConnectionsAtExit();
        } else if (options.captureFile() != null || options.verbsFault() != null) {
            // What the capture has buffered would be lost, and the faults are to be told.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(nic), "rxe-disni-exit"));
        }
        context = new DisniContext(nic);
        Sentences.verbose(nic::toString);
    }

    private static void close(RxeNic nic) {
        nic.close();
        FaultReport.say(nic.verbsFaults());
        DisniContext.endScript(nic);
    }

    /** Opens the NIC at the first address of loopback whose UDP port no NIC has. */
    private void openOnLoopback() throws IOException {
        BindException last = null;
        for (int number = 1; number <= LAST_LOOPBACK && context == null; number++) {
            InetAddress candidate = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number});
            if (isFree(new InetSocketAddress(candidate, settings.udpPort()))) {
                last = openUnlessTaken(candidate);
            }
        }
        if (context == null && last == null) {
            // The exceptions of DatagramSocket do not distinguish what is taken from what is not permitted. Those of a NIC do.
            last = openUnlessTaken(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        }
        if (context == null) {
            BindException all = new BindException("127.0.0.1 to 127.0.0." + LAST_LOOPBACK + " have a NIC each: end some, or set RXE_DEV");
            all.initCause(last);
            throw all;
        }
    }

    /** Returns the reason where another NIC has the address; null after success. Throws for every other reason. */
    private BindException openUnlessTaken(InetAddress candidate) throws IOException {
        try {
            open(candidate.getHostAddress());
        } catch (BindException e) {
            if (!(e.getCause() instanceof NativeIoException cause) || cause.expectedErr() != -VerbError.EADDRINUSE.number()) {
                throw e;
            }
            Sentences.verbose(e::getMessage);
            return e;
        }
        if (!candidate.equals(InetAddress.getByName("127.0.0.1"))) {
            Sentences.say("the NIC of this process is " + candidate.getHostAddress() + "; RXE_DEV chooses another");
        }
        return null;
    }

    private static boolean isFree(InetSocketAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(address)) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
