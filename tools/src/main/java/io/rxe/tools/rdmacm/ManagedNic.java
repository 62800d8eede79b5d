package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Connector;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.tools.NicSettings;
import io.rxe.tools.ToolFailure;
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
 * A NIC with connection management, one completion queue and one event channel, for one thread that waits for both.
 *
 * <p>{@link #serve} and what it calls belong to that thread.
 */
final class ManagedNic implements AutoCloseable {
    private static final int EVENTS = 8192;
    private static final int FLUSH_TRIES = 200;
    private static final long FLUSH_PAUSE_NS = 1_000_000;

    private final Bell bell = new Bell();
    private final CmEventChannel events = new CmEventChannel(EVENTS, bell::ring);
    private final WorkCompletion completion = new WorkCompletion();
    private final RxeNic nic;
    private final ConnectionService service;
    private final CompletionQueue completions;
    private final Thread hook = new Thread(this::end, "rxe-disconnect");
    private final PrintWriter err;
    private final boolean verbose;
    private final boolean seeded;

    private ManagedNic(RxeNic nic, Long seed, int completions, PrintWriter err, boolean verbose) {
        this.nic = nic;
        this.err = err;
        this.verbose = verbose;
        this.seeded = seed != null;
        // Another sequence than that of the NIC itself.
        this.service = ConnectionService.open(nic.core(), seed == null ? new SecureRandom()::nextInt : new Random(~seed)::nextInt);
        // With a kernel's NIC the kernel tells the peer when a program is killed; here the program is the NIC.
        Runtime.getRuntime().addShutdownHook(hook);
        this.completions = nic.device().createCompletionQueue(completions, CompletionChannel.calling(queue -> bell.ring()));
    }

    /**
     * Opens a NIC, after printing the notes about options.
     *
     * @param completions that can wait to be taken.
     */
    static ManagedNic open(NicSettings settings, int completions, PrintWriter err) {
        return new ManagedNic(settings.open(err), settings.seed(), completions, err, settings.isVerbose());
    }

    Device device() {
        return nic.device();
    }

    /** Whether its numbers are those of every run with the same seed. */
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
     * Listens, and with {@code -v} says so.
     *
     * @param backlog requests that may wait.
     */
    Listener listen(PortSpace portSpace, int port, int backlog) {
        Listener listener = service.listen(events, portSpace, port, backlog);
        if (verbose) {
            err.println("listening on " + HostNames.text(gid()) + " " + portSpace + " port " + port);
        }
        return listener;
    }

    /**
     * What begins connections with a peer.
     *
     * @param option of this program that names the local address, for the message.
     * @throws ToolFailure when the peer has our own address.
     */
    Connector connector(Gid peer, String option) {
        if (peer.equals(gid())) {
            throw new ToolFailure(HostNames.text(peer) + " is the address of this very NIC: give the server's address, or with " + option
                + " another local one for this side");
        }
        return service.connector(events);
    }

    /**
     * Gives an activity what has come, completions before events; when there is nothing, waits.
     *
     * @return false when nothing came for so long.
     * @throws Interrupted when the thread is interrupted.
     */
    boolean serve(Activity activity, long timeoutNs) {
        if (deliver(activity)) {
            return true;
        }
        bell.silence();
        completions.requestNotification(false);
        // What came before the bell was silent and the queue armed would not ring it.
        if (deliver(activity)) {
            return true;
        }
        try {
            return bell.await(timeoutNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Interrupted(e);
        }
    }

    private boolean deliver(Activity activity) {
        if (completions.poll(completion)) {
            activity.onCompletion(completion);
            return true;
        }
        CmEvent event = events.poll();
        if (event != null) {
            activity.onEvent(event);
        }
        return event != null;
    }

    /** Goes on answering peers for a while: the last message or acknowledgement may have to come again. */
    void linger(long durationNs) {
        try {
            TimeUnit.NANOSECONDS.sleep(durationNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells peers that it is over, when the process ends and nobody closes the NIC. */
    private void end() {
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
            // The process is ending, and this is part of it.
        }
    }
}
