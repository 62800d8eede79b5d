package io.rxe.disni;

import io.rxe.disni.Failure.VerbFailure;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The NIC of the process. It is opened when the program first binds or resolves an address, since that may choose the address of the NIC,
 * and closed when the process ends. Any thread.
 */
final class LocalNic {
    private static final int LAST_LOOPBACK = 254;

    private final Settings settings;
    private DisniContext context;

    LocalNic(Settings settings) {
        this.settings = settings;
    }

    /**
     * The NIC at a local address, for an id that is bound.
     *
     * @param local may be the unspecified address: that of the NIC, whichever it is.
     * @throws VerbFailure when the NIC has another address.
     * @throws IOException when the NIC cannot be opened.
     */
    synchronized DisniContext at(InetAddress local) throws IOException {
        if (context == null) {
            open(local.isAnyLocalAddress() ? freeLoopback() : local.getHostAddress());
        }
        InetAddress present = context.address();
        if (!local.isAnyLocalAddress() && !local.equals(present)) {
            throw new VerbFailure(Failure.ADDRESS_NOT_AVAILABLE, local.getHostAddress() + " is not " + present.getHostAddress()
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
            open(peer.isLoopbackAddress() && peer.getAddress().length == 4 ? freeLoopback() : routeTo(peer));
        }
        return context;
    }

    /** @param otherwise the address where the settings name none; null where it is not needed. */
    private void open(String otherwise) throws IOException {
        RxeNicOptions options = settings.options(settings.device() == null ? otherwise : settings.device());
        RxeNic nic = RxeNic.open(options);
        if (options.captureFile() != null) {
            // What the capture has buffered would be lost.
            Runtime.getRuntime().addShutdownHook(new Thread(nic::close, "rxe-disni-exit"));
        }
        context = new DisniContext(nic);
        Sentences.verbose(nic::toString);
    }

    private String routeTo(InetAddress peer) throws IOException {
        if (settings.device() != null) {
            return null;
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(peer, settings.udpPort()));
            return socket.getLocalAddress().getHostAddress();
        }
    }

    /** The first address of loopback whose UDP port no NIC has. */
    private String freeLoopback() throws IOException {
        if (settings.device() != null) {
            return null;
        }
        for (int last = 1; last <= LAST_LOOPBACK; last++) {
            InetAddress candidate = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
            if (isFree(new InetSocketAddress(candidate, settings.udpPort()))) {
                if (last > 1) {
                    Sentences.say("the NIC of this process is " + candidate.getHostAddress() + "; RXE_DEV chooses another");
                }
                return candidate.getHostAddress();
            }
        }
        throw new BindException("127.0.0.1 to 127.0.0." + LAST_LOOPBACK + " have a NIC each: end some, or set RXE_DEV");
    }

    private static boolean isFree(InetSocketAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(address)) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
