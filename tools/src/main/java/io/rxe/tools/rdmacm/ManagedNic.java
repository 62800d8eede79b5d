package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Connector;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicSettings;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A NIC with connection management, one completion queue and one event channel; one thread waits for both.
 *
 * <p>{@link #dispatch} and what it calls belong to that thread.
 */
final class ManagedNic implements AutoCloseable {
    private static final int EVENTS = 8192;
    private static final int FLUSH_TRIES = 200;
    private static final long FLUSH_PAUSE_NS = 1_000_000;

    private final Wakeup wakeup = new Wakeup();
    private final CmEventChannel events = new CmEventChannel(EVENTS, wakeup::signal);
    private final WorkCompletion completion = new WorkCompletion();
    private final RxeNic nic;
    private final ConnectionService service;
    private final CompletionQueue completions;
    private final Thread hook = new Thread(this::onShutdown, "rxe-disconnect");
    private final PrintWriter err;
    private final boolean verbose;
    private final boolean seeded;

    private ManagedNic(RxeNic nic, Long seed, int completions, PrintWriter err, boolean verbose) {
        this.nic = nic;
        this.err = err;
        this.verbose = verbose;
        this.seeded = seed != null;
        // Not the random sequence of the NIC itself.
        this.service = ConnectionService.open(nic.core(), seed == null ? new SecureRandom()::nextInt : new Random(~seed)::nextInt);
        // A kernel's NIC disconnects when a program is killed. Here the NIC is part of the program, so a hook must do it.
        Runtime.getRuntime().addShutdownHook(hook);
        this.completions = nic.device().createCompletionQueue(completions, CompletionChannel.calling(queue -> wakeup.signal()));
    }

    /**
     * Opens a NIC, after printing the notes about options.
     *
     * @param completions capacity of the completion queue.
     */
    static ManagedNic open(NicSettings settings, int completions, PrintWriter err) {
        return new ManagedNic(settings.open(err), settings.seed(), completions, err, settings.isVerbose());
    }

    Device device() {
        return nic.device();
    }

    /** Whether a seed was given, which makes its numbers those of every run with that seed. */
    boolean isSeeded() {
        return seeded;
    }

    Gid gid() {
        return nic.core().gid();
    }

    CompletionQueue completions() {
        return completions;
    }

    /**
     * Listens; prints a line with {@code -v}.
     *
     * @param backlog largest number of pending requests.
     */
    Listener listen(PortSpace portSpace, int port, int backlog) {
        Listener listener = service.listen(events, portSpace, port, backlog);
        if (verbose) {
            err.println("listening on " + HostNames.text(gid()) + " " + portSpace + " port " + port);
        }
        return listener;
    }

    /**
     * Returns a connector for connections to a peer.
     *
     * @param option for the local address, named in the error message.
     * @throws ToolFailure if the peer has our own address.
     */
    Connector connector(Gid peer, String option) {
        if (peer.equals(gid())) {
            throw new ToolFailure(HostNames.text(peer) + " is the address of this NIC itself: give the server's address, or use " + option
                + " to bind another local address");
        }
        return service.connector(events);
    }

    /**
     * Passes one completion or event to a handler, completions first; waits if there is none.
     *
     * @return false after the timeout.
     * @throws InterruptedFailure if the thread is interrupted.
     */
    boolean dispatch(EventHandler handler, long timeoutNs) {
        if (dispatchOne(handler)) {
            return true;
        }
        wakeup.reset();
        completions.requestNotification(false);
        // A completion or event that arrived before the reset and the arming does not signal.
        if (dispatchOne(handler)) {
            return true;
        }
        try {
            return wakeup.await(timeoutNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedFailure(e);
        }
    }

    private boolean dispatchOne(EventHandler handler) {
        if (completions.poll(completion)) {
            handler.onCompletion(completion);
            return true;
        }
        CmEvent event = events.poll();
        if (event != null) {
            handler.onEvent(event);
        }
        return event != null;
    }

    /** Keeps the NIC open for a while: the peer may have to retransmit its last message. */
    void linger(long durationNs) {
        try {
            TimeUnit.NANOSECONDS.sleep(durationNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Disconnects peers when the process ends without closing the NIC. */
    private void onShutdown() {
        service.close();
        for (int tries = 0; tries < FLUSH_TRIES && service.hasToSend(); tries++) {
            linger(FLUSH_PAUSE_NS);
        }
    }

    @Override
    public void close() {
        service.close();
        nic.close();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook is running.
        }
    }
}
