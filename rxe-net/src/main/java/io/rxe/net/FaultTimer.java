package io.rxe.net;

import io.rxe.device.Nic;
import io.rxe.fault.TimedFault;
import io.rxe.fault.VerbFaults;
import io.rxe.net.host.ServiceThread;
import io.rxe.net.port.Warnings;
import io.rxe.verbs.AsyncEvent;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes the faults of a NIC that happen at a time and not in a call, and notices what a script expected in vain. It has a thread where
 * there are such faults, and does nothing in any other NIC.
 */
final class FaultTimer {
    private final Nic nic;
    private final NicConnections connections;
    private final VerbFaults faults;
    private final Warnings warnings;
    private final Semaphore due = new Semaphore(0);
    private final Consumer<AsyncEvent> seen;
    private volatile Consumer<TimedFault> events = fault -> { };
    private volatile boolean closed;
    /** Guarded by this, as what was expected in vain; null for nothing. */
    private Consumer<String> failures;
    private String failure;

    FaultTimer(Nic nic, NicConnections connections, VerbFaults faults, Warnings warnings) {
        this.nic = nic;
        this.connections = connections;
        this.faults = faults;
        this.warnings = warnings;
        this.seen = event -> faults.onEvent(event.type().name());
        this.failures = sentence -> warnings.once("expectation", sentence);
    }

    /** See {@link RxeNic#onVerbsFault}. An expectation may have failed before; the thread that opens the NIC cannot end the process. */
    synchronized void listen(Consumer<TimedFault> newEvents, Consumer<String> newFailures) {
        events = newEvents;
        failures = newFailures;
        String before = failure;
        if (before != null) {
            Thread thread = new Thread(() -> newFailures.accept(before), "rxe-faults");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private synchronized Consumer<String> fail(String sentence) {
        failure = sentence;
        return failures;
    }

    void start() {
        faults.open(due::release);
        if (faults.isTimed()) {
            nic.onAsyncEvent(seen);
            ServiceThread.start("rxe-faults", this::serve);
        }
    }

    private boolean serve() throws InterruptedException {
        TimedFault fault = closed ? null : faults.takeDue();
        if (fault != null) {
            make(fault);
            return true;
        }
        String missed = faults.failure(closed);
        if (missed != null) {
            tell(missed);
        } else if (!closed && due.tryAcquire(faults.waitNs(), TimeUnit.NANOSECONDS)) {
            due.drainPermits();
        }
        return !closed && missed == null;
    }

    private void tell(String missed) {
        try {
            fail(missed).accept(missed);
        } catch (Throwable e) {
            // Once: another round would throw it again.
            ServiceThread.report(e);
        }
    }

    private void make(TimedFault fault) {
        try {
            switch (fault.kind()) {
                case EVENT, QUEUE_PAIR_ERROR -> nic.make(fault);
                case DISCONNECTED -> connections.end(fault.why());
                case DEVICE_REMOVAL, ADDR_CHANGE -> events.accept(fault);
            }
        } catch (IllegalStateException e) {
            // The NIC is closed, or failed before.
            warnings.undone("fault", fault.why() + " was not made: " + e.getMessage());
        }
    }

    void close() {
        closed = true;
        due.release();
        nic.forgetAsyncEvents(seen);
    }
}
