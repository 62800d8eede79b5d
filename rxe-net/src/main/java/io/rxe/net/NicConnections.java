package io.rxe.net;

import io.rxe.cm.ConnectionService;
import io.rxe.device.Nic;
import io.rxe.net.socket.PortProbe;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The connection management of one NIC, which begins with its first use. Any thread. */
final class NicConnections {
    /** How long peers have for their answer to the end of their connection. */
    private static final long LINGER_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LINGER_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Nic nic;
    private final InetAddress local;
    /** Null until it is needed; guarded by this. */
    private ConnectionService service;
    /** Guarded by this. */
    private boolean isKeptAtExit;

    NicConnections(Nic nic, InetAddress local) {
        this.nic = nic;
        this.local = local;
    }

    /** Always the same one. */
    synchronized ConnectionService service() {
        if (service == null) {
            ConnectionService opened = ConnectionService.open(nic);
            opened.silentPeers(new PortProbe(local, nic.udpPort(), opened::onUnreachable)::probe);
            service = opened;
            if (!isKeptAtExit) {
                ExitHook.add(this);
            }
        }
        return service;
    }

    synchronized void keepAtExit() {
        isKeptAtExit = true;
        ExitHook.remove(this);
    }

    private synchronized ConnectionService begun() {
        return service;
    }

    /** Ends all connections that there are, for a fault. */
    void end(String why) {
        ConnectionService present = begun();
        if (present != null) {
            present.endConnections(why);
        }
    }

    /** Ends all connections, and waits a moment for the answers of the peers. */
    void disconnectAll() {
        ConnectionService ending = begun();
        if (ending == null) {
            return;
        }
        ending.close();
        long beganNs = System.nanoTime();
        while (ending.isEnding() && System.nanoTime() - beganNs < LINGER_NS) {
            nic.progress().drive();
            LockSupport.parkNanos(LINGER_PAUSE_NS);
        }
    }

    @Override
    public String toString() {
        return "connections of " + nic.gid();
    }
}
