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
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The thread of a server or client: takes the events of connection management, and runs what must not run on an engine's thread. It ends
 * when its owner is closed and all its connections have ended, or with the NIC.
 */
final class ConnectionThread {
    /** How much longer than the failure time of its connections a close waits. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(5);

    /** Those that have not ended, of all NICs of the process. */
    private static final Set<ConnectionThread> RUNNING = ConcurrentHashMap.newKeySet();

    private final RxeNic nic;
    private final ProtectionDomain domain;
    /** Whether the domain ends with this thread. */
    private final boolean ownsDomain;
    private final CmEventChannel channel = new CmEventChannel();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<RxeConnection> connections = ConcurrentHashMap.newKeySet();
    private final Consumer<CmEvent> onRequest;
    private final Thread thread;
    private volatile boolean closing;

    /**
     * @param given     the domain of all its connections, which stays the application's; null for one of its own.
     * @param onRequest runs on the thread with each CONNECT_REQUEST.
     * @param threads   makes the thread.
     */
    ConnectionThread(RxeNic nic, String name, ProtectionDomain given, Consumer<CmEvent> onRequest, ThreadFactory threads) {
        this.nic = Objects.requireNonNull(nic, "the NIC is null: open one with RxeNic.open");
        this.onRequest = onRequest;
        this.ownsDomain = given == null;
        this.domain = ownsDomain ? nic.device().allocateProtectionDomain() : given;
        this.thread = threads.newThread(this::run);
        thread.setName(name);
        thread.setDaemon(true);
    }

    /** @param orElse undoes what was made for the thread, if it cannot start. */
    void start(Runnable orElse) {
        RUNNING.add(this);
        or(() -> RUNNING.remove(this), () -> or(orElse, () -> orCloseDomain(() -> {
            thread.start();
            return null;
        })));
    }

    /** Makes what the owner needs before the start; if that fails, nothing else closes the domain. */
    <T> T orCloseDomain(Supplier<T> maker) {
        return or(this::closeDomain, maker);
    }

    private static <T> T or(Runnable orElse, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (Throwable e) {
            orElse.run();
            throw e;
        }
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
            forget(connection);
            throw new IllegalStateException("the " + owner + " is closed: open another");
        }
    }

    /** Any thread; the connection thread may wait for the last one. */
    void forget(RxeConnection connection) {
        connections.remove(connection);
        if (closing) {
            execute(() -> { });
        }
    }

    /** Runs a task on the thread soon. Any thread; never blocks. */
    void execute(Runnable task) {
        tasks.add(task);
        channel.wakeup();
        LockSupport.unpark(thread);
    }

    /** Whether the current thread is this one, or drives an engine of the NIC. */
    boolean isCallback() {
        return Thread.currentThread() == thread || nic.isOnEngineThread();
    }

    /** Whether the current thread drives the NIC, or is this one where nobody else has to: what it waits for would not get on. */
    boolean isDriver() {
        return nic.isOnEngineThread() || Thread.currentThread() == thread && !nic.hasThreads();
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
        }
        closing = true;
        String explanation = why;
        for (RxeConnection connection : connections()) {
            guarded(() -> connection.end(new ConnectionEnd(ConnectionEnd.Reason.CLOSED_HERE, explanation)));
        }
        // An end waits for the callbacks that still run.
        for (runTasks(); !connections.isEmpty(); runTasks()) {
            LockSupport.park(this);
            // Somebody else's interrupt: with it no park would wait.
            Thread.interrupted();
        }
        guarded(channel::close);
        guarded(this::closeDomain);
        RUNNING.remove(this);
    }

    /** Closes the domain, unless it is the application's. */
    private void closeDomain() {
        if (ownsDomain) {
            domain.close();
        }
    }

    /** The NIC is closed or failed. */
    private static final class NicEndedException extends Exception {
        private static final long serialVersionUID = 1;

        NicEndedException(String message) {
            super(message);
        }
    }

    private CmEvent await() throws NicEndedException {
        try {
            return channel.await(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            // Somebody else's interrupt: this thread ends with its owner and its connections only.
            return null;
        } catch (IllegalStateException e) {
            throw new NicEndedException(e.getMessage());
        } catch (RuntimeException | Error e) {
            // The thread cannot go on, for example without memory: its connections end.
            throw new NicEndedException("the connection thread ended: " + e);
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

    /**
     * Runs a step on a connection thread. What a callback of the application throws is reported, and the thread continues; the interrupt
     * that it leaves behind is for nobody.
     */
    static void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            report(e);
        } finally {
            Thread.interrupted();
        }
    }

    /** What a callback threw goes to the application's handler. Any thread. */
    static void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } catch (Throwable e) {
            // The handler is the application's too. Java ignores what it throws, and the thread has to continue.
            return;
        }
    }

    /**
     * Ends all connections and waits for the thread, unless called on it. It waits {@link #GRACE_NS} longer than the peers may be silent;
     * then a warning names the callbacks that hold it, and the thread ends when they do. In a set-up or a message handler, for which its
     * connection waits, it does not wait.
     *
     * @param first what is to be closed before.
     * @throws IllegalStateException on an engine's thread, which the connections may wait for; then nothing has changed.
     */
    void close(String owner, Runnable first) {
        if (nic.isOnEngineThread() || RUNNING.stream().anyMatch(other -> other.nic.isOnEngineThread())) {
            throw new IllegalStateException("close of the " + owner + " on the thread of an engine, where onMessage runs, could wait for"
                + " itself: close single connections there, and the " + owner + " on another thread");
        }
        first.run();
        closing = true;
        connections().forEach(RxeConnection::close);
        channel.wakeup();
        if (Thread.currentThread() != thread && connections().stream().noneMatch(RxeConnection::isHandling)
            && !hasEndedWithin(graceNs())) {
            String held = held();
            System.getLogger("io.rxe.connect").log(System.Logger.Level.WARNING, "close of the " + owner + " returns although "
                + connections.size() + " of its connections have not ended" + (held.isEmpty() ? ", because an engine does not run, or an"
                + " executor does not run what it was given" : ": a callback must not block: " + held));
        }
    }

    /** The callbacks that run now; those of the connection thread hold all connections. Empty if there are none. */
    String held() {
        Stream<String> single = connections().stream().map(RxeConnection::runningCallback);
        return Stream.concat(single, Stream.ofNullable(CallbackLine.of(thread))).filter(Objects::nonNull)
            .collect(Collectors.joining("; "));
    }

    private long graceNs() {
        return GRACE_NS + connections().stream().mapToLong(RxeConnection::failureTimeoutNs).max().orElse(0);
    }

    private boolean hasEndedWithin(long ns) {
        long deadlineNs = System.nanoTime() + ns;
        boolean interrupted = false;
        for (long leftNs = ns; thread.isAlive() && leftNs > 0; leftNs = deadlineNs - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
