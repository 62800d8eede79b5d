package io.rxe.connect;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.net.RxeNic;
import io.rxe.verbs.ProtectionDomain;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The thread of a server or client: takes the events of connection management, and runs what must not run on an engine's thread. It ends
 * when its owner is closed and all its connections have ended, or with the NIC.
 */
final class ConnectionThread {
    private final RxeNic nic;
    private final ProtectionDomain domain;
    private final CmEventChannel channel = new CmEventChannel();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<RxeConnection> connections = ConcurrentHashMap.newKeySet();
    private final Consumer<CmEvent> onRequest;
    private final Thread thread;
    private volatile boolean closing;

    /** @param onRequest runs on the thread with each CONNECT_REQUEST. */
    ConnectionThread(RxeNic nic, String name, Consumer<CmEvent> onRequest) {
        this.nic = Objects.requireNonNull(nic, "the NIC is null: open one with RxeNic.open");
        this.onRequest = onRequest;
        this.domain = nic.device().allocateProtectionDomain();
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    RxeNic nic() {
        return nic;
    }

    ProtectionDomain domain() {
        return domain;
    }

    CmEventChannel channel() {
        return channel;
    }

    Set<RxeConnection> connections() {
        return Set.copyOf(connections);
    }

    /** @throws IllegalStateException if the owner is closed. */
    void add(RxeConnection connection, String owner) {
        connections.add(connection);
        if (closing) {
            connections.remove(connection);
            throw new IllegalStateException("the " + owner + " is closed: open another");
        }
    }

    void forget(RxeConnection connection) {
        connections.remove(connection);
    }

    /** Runs a task on the thread soon. Any thread; never blocks. */
    void execute(Runnable task) {
        tasks.add(task);
        channel.wakeup();
    }

    private void run() {
        String why = "";
        try {
            while (!closing || !connections.isEmpty()) {
                runTasks();
                if (!closing || !connections.isEmpty()) {
                    CmEvent event = await();
                    if (event != null) {
                        guarded(() -> handle(event));
                    }
                }
            }
        } catch (NicEndedException e) {
            why = e.getMessage();
        } catch (InterruptedException e) {
            why = "the connection thread was interrupted";
        }
        closing = true;
        String explanation = why;
        for (RxeConnection connection : connections()) {
            guarded(() -> connection.end(new ConnectionEnd(ConnectionEnd.Reason.CLOSED_HERE, explanation)));
        }
        channel.close();
        domain.close();
    }

    /** The NIC is closed or failed. */
    private static final class NicEndedException extends Exception {
        private static final long serialVersionUID = 1;

        NicEndedException(String message) {
            super(message);
        }
    }

    private CmEvent await() throws NicEndedException, InterruptedException {
        try {
            return channel.await(Long.MAX_VALUE);
        } catch (IllegalStateException e) {
            throw new NicEndedException(e.getMessage());
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guarded(task);
        }
    }

    private void handle(CmEvent event) {
        if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
            onRequest.accept(event);
        } else if (event.connection().attachment() instanceof RxeConnection connection) {
            connection.onEvent(event);
        }
    }

    /** What a callback of the application throws is reported, and the thread continues. */
    private static void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        }
    }

    /**
     * Ends all connections and waits for the thread, unless called on it.
     *
     * @throws IllegalStateException on an engine's thread, which the connections may wait for.
     */
    void close(String owner) {
        if (nic.isOnEngineThread()) {
            throw new IllegalStateException("close of the " + owner + " on the thread of an engine, where onMessage runs, could wait for"
                + " itself: close single connections there, and the " + owner + " on another thread");
        }
        closing = true;
        connections().forEach(RxeConnection::close);
        channel.wakeup();
        if (Thread.currentThread() != thread) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
