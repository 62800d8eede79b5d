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
import java.util.concurrent.TimeUnit;

/**
 * A NIC with connection management, one completion queue and one event channel; one thread waits for both.
 *
 * <p>{@link #dispatch} and what it calls belong to that thread.
 */
final class ManagedNic implements AutoCloseable {
    private static final int EVENTS = 8192;

    private final Wakeup wakeup = new Wakeup();
    private final CmEventChannel events = new CmEventChannel(EVENTS, wakeup::signal);
    private final WorkCompletion completion = new WorkCompletion();
    private final RxeNic nic;
    private final ConnectionService service;
    private final CompletionQueue completions;
    private final PrintWriter err;
    private final NicSettings settings;
    private boolean showsProgress;

    private ManagedNic(NicSettings settings, RxeNic nic, int completions, PrintWriter err) {
        this.nic = nic;
        this.err = err;
        this.settings = settings;
        this.service = nic.connections();
        this.completions = nic.device().createCompletionQueue(completions, CompletionChannel.calling(queue -> wakeup.signal()));
    }

    /**
     * Opens a NIC, after printing the notes about options.
     *
     * @param completions capacity of the completion queue.
     */
    static ManagedNic open(NicSettings settings, int completions, PrintWriter err) {
        return new ManagedNic(settings, settings.open(err), completions, err);
    }

    Device device() {
        return nic.device();
    }

    /** Whether a seed was given, which makes its numbers those of every run with that seed. */
    boolean isSeeded() {
        return settings.seed() != null;
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
        if (settings.isVerbose()) {
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
            if (!showsProgress) {
                // The first event: a server has a client, and a client an answer.
                showsProgress = true;
                settings.showProgress(nic, err);
            }
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

    @Override
    public void close() {
        nic.close();
    }
}
