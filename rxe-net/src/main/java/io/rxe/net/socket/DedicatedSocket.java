package io.rxe.net.socket;

import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.LinuxSocket;
import io.rxe.net.port.Warnings;
import java.io.IOException;

/**
 * Decides which peer, if any, has a {@link ReceiveSocket} dedicated to it beside the shared socket, and when each of the two is polled.
 *
 * <pre>
 *   {@value #RUN_DATAGRAMS} datagrams in a row from one peer at the shared socket, none at the dedicated one
 *     --> open one for that peer, empty and close the dedicated socket
 * </pre>
 *
 * <p>While a dedicated socket is open an idle shared socket is polled less often. Belongs to the owner of the engine.
 */
final class DedicatedSocket {
    /** Datagrams in a row from one peer that earn it the dedicated socket. */
    static final int RUN_DATAGRAMS = 1024;
    /** Receives that skip the shared socket after one that found it empty. */
    private static final int SKIPPED_POLLS = 8;
    /** One datagram in this number has its ICRC checked: garbage neither earns a peer a socket nor keeps it. */
    private static final int SAMPLED_OF = 16;

    private final boolean spinning;
    private final boolean once;
    private final Warnings warnings;
    /** Null where no dedicated socket can be opened. */
    private final PeerSocketOpener opener;
    private IoEventLoop loop;
    private Runnable onReady;
    /** Null when no peer has one. */
    private ReceiveSocket current;
    /** The one before, until its datagrams are received; null for none. */
    private ReceiveSocket replaced;
    private int skipsLeft;
    /** Sender of the last datagram at the shared socket. */
    private Peer runPeer;
    /** Datagrams in a row from that peer at the shared socket. */
    private int runDatagrams;
    /** Good samples at the dedicated socket since that run began. */
    private int dedicatedSamples;
    private int datagrams;

    /**
     * @param opener   opens connected sockets; null where the shared socket is one of several that share its address.
     * @param spinning whether the loop polls without sleeping, so that sockets are not registered with epoll.
     * @param once     whether sockets are registered in {@link #rearm}, because the opener may be another thread than the event loop's.
     */
    DedicatedSocket(PeerSocketOpener opener, boolean spinning, boolean once, Warnings warnings) {
        this.once = once;
        this.opener = opener;
        this.spinning = spinning;
        this.warnings = warnings;
    }

    /** Sets what a dedicated socket is registered with; before the first receive. */
    void start(IoEventLoop eventLoop, Runnable readiness) {
        loop = eventLoop;
        onReady = readiness;
    }

    /** The open socket, or null. */
    ReceiveSocket current() {
        return current;
    }

    /** Counts one datagram, and returns whether its ICRC is to be checked. */
    boolean isSampled() {
        return opener != null && (++datagrams & SAMPLED_OF - 1) == 0;
    }

    /** Notes whether the sampled datagram had a right ICRC, and which socket it came from. */
    void onSample(boolean fromDedicated, boolean isGood) {
        if (fromDedicated && isGood) {
            dedicatedSamples++;
        } else if (!fromDedicated && !isGood) {
            // The run begins again.
            runDatagrams = 0;
        }
    }

    /** Counts one receive, and returns whether it polls the shared socket. */
    boolean pollShared() {
        return current == null || --skipsLeft < 0;
    }

    /** Has the next receive poll the shared socket. */
    void lookEverywhere() {
        skipsLeft = 0;
    }

    /** Notes how many datagrams the shared socket had. */
    void onShared(int datagrams) {
        skipsLeft = datagrams == 0 ? SKIPPED_POLLS : 0;
    }

    /** Notes the sender of one datagram at the shared socket. */
    void onSender(Peer sender) {
        if (sender != runPeer) {
            runPeer = sender;
            runDatagrams = 0;
            dedicatedSamples = 0;
        }
        runDatagrams++;
    }

    /** Whether {@link #open} is due. */
    boolean isRunComplete() {
        return runDatagrams >= RUN_DATAGRAMS;
    }

    /**
     * Dedicates a socket to the peer whose run is complete, unless the present one is in use. A peer for which the system refuses is
     * passed over from then on, and the present socket stays.
     *
     * @param shared the socket that every peer reaches.
     * @return the new socket; null if there is none.
     */
    LinuxSocket open(LinuxSocket shared, FlowTable flows) {
        boolean wanted = opener != null && dedicatedSamples == 0 && !runPeer.refused;
        runDatagrams = 0;
        dedicatedSamples = 0;
        if (!wanted) {
            return null;
        }
        try {
            LinuxSocket connected = opener.open(shared, flows.source(runPeer));
            ReceiveSocket opened = receiver(connected);
            if (!spinning && !once) {
                opened.register(loop, onReady);
            }
            replaced = current;
            current = opened;
            return connected;
        } catch (IOException e) {
            refuse(runPeer, e);
            return null;
        }
    }

    /** Open without a receiver, it would take the peer's datagrams from the shared socket, and nobody would receive them. */
    private ReceiveSocket receiver(LinuxSocket connected) throws IOException {
        ReceiveSocket made = null;
        try {
            made = new ReceiveSocket(connected, runPeer, once);
            return made;
        } finally {
            if (made == null) {
                connected.close();
            }
        }
    }

    private void refuse(Peer peer, IOException why) {
        peer.refused = true;
        warnings.once("peer_socket", "no socket can be dedicated to " + peer.flow.source() + ", the peer that sends most ("
            + (why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage()) + "): it is received through the one that all"
            + " peers share, which is slower; check the route to it (`ip route get`) and the limit of open files (`ulimit -n`)");
    }

    /** Has the event loop notified of the open socket once more; on its thread. A socket that the event loop refuses is closed. */
    void rearm() {
        if (current != null) {
            try {
                current.rearm(loop, onReady);
            } catch (IOException e) {
                refuse(current.peer, e);
                current = null;
            }
        }
    }

    /** The socket that {@link #open} replaced, to be emptied before {@link #closeReplaced}; null for none. */
    ReceiveSocket replaced() {
        return replaced;
    }

    /** Closes the socket that {@link #open} replaced. */
    void closeReplaced() throws IOException {
        ReceiveSocket old = replaced;
        replaced = null;
        old.release();
    }

    void close() throws IOException {
        if (current != null) {
            current.release();
            current = null;
        }
    }
}
