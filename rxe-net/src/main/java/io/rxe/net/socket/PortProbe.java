package io.rxe.net.socket;

import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Finds out whether the UDP port of a silent peer is closed. The kernel does not report "port unreachable" (ICMP) to an unconnected
 * socket, as that of a NIC is; so one byte, which no RoCE device takes for a packet, is sent from a connected socket on another port.
 * A peer that is there counts a datagram that is too short. No peer is probed whose address may be forged.
 *
 * <p>One thread, which ends when it has nothing to do, waits for the report of one peer at a time. Peers that come while many wait are
 * left out: their next retransmission asks again. Any thread.
 */
public final class PortProbe {
    /** How long a report may take: less than the time between two retransmissions. */
    private static final int REPORT_MS = 150;
    private static final int MAX_WAITING = 16;
    private static final long IDLE_SECONDS = 2;

    private final InetAddress local;
    private final int udpPort;
    private final BiConsumer<Gid, String> onClosed;
    private final Set<Gid> waiting = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor thread;

    /**
     * @param local    address of the NIC.
     * @param udpPort  that peers listen on.
     * @param onClosed gets each peer whose port is closed, and why no reply can come; on the thread of the probe.
     */
    public PortProbe(InetAddress local, int udpPort, BiConsumer<Gid, String> onClosed) {
        this(local, udpPort, onClosed, PortProbe::newThread);
    }

    PortProbe(InetAddress local, int udpPort, BiConsumer<Gid, String> onClosed, ThreadFactory threads) {
        this.local = local;
        this.udpPort = udpPort;
        this.onClosed = onClosed;
        thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), threads,
            new ThreadPoolExecutor.DiscardPolicy());
        thread.allowCoreThreadTimeOut(true);
    }

    private static Thread newThread(Runnable work) {
        Thread made = new Thread(work, "rxe-port-probe");
        made.setDaemon(true);
        return made;
    }

    /** Probes a peer soon; does not wait. */
    public void probe(Gid peer) {
        if (waiting.size() < MAX_WAITING && waiting.add(peer)) {
            try {
                thread.execute(() -> ask(peer));
            } catch (OutOfMemoryError e) {
                // Also where the process may start no thread, which is no reason for the engine that calls to fail.
                waiting.remove(peer);
            }
        }
    }

    private void ask(Gid peer) {
        try {
            if (isClosed(peer)) {
                onClosed.accept(peer, "nothing listens on its UDP port " + udpPort + " (port unreachable): start rxe, or load"
                    + " rdma_rxe there, or name its port");
            }
        } finally {
            waiting.remove(peer);
        }
    }

    private boolean isClosed(Gid peer) {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(local, 0))) {
            socket.connect(new InetSocketAddress(InetAddress.getByAddress(peer.toBytes()), udpPort));
            socket.setSoTimeout(REPORT_MS);
            socket.send(new DatagramPacket(new byte[1], 1));
            socket.receive(new DatagramPacket(new byte[1], 1));
            return false;
        } catch (PortUnreachableException e) {
            return true;
        } catch (IOException e) {
            // No report in time, or no socket: the peer may live.
            return false;
        }
    }
}
