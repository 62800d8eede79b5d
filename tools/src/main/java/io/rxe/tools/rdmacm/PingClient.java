package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.verbs.WorkCompletion;

/**
 * The rping client.
 *
 * <pre>
 *   CONNECTING --- ESTABLISHED: SEND source advert ---> READING
 *                                                       ^  | go ahead: SEND sink advert
 *                    go ahead: compare, next ping ------+  v
 *                                                       WRITING
 *   all pings done: DONE --- DISCONNECTED ---> CLOSED.   Failure, or an early disconnect: FAILED
 * </pre>
 */
final class PingClient extends PingSide {
    /** What the client waits for, with rping's name for it. */
    enum Step {
        CONNECTING(PingState.CONNECTED),
        READING(PingState.RDMA_WRITE_ADV),
        WRITING(PingState.RDMA_WRITE_COMPLETE),
        DONE(PingState.DISCONNECTED),
        CLOSED(PingState.DISCONNECTED),
        FAILED(PingState.ERROR);

        private final PingState state;

        Step(PingState state) {
            this.state = state;
        }
    }

    private final int count;
    private final boolean validate;
    private Step step = Step.CONNECTING;
    private int ping;

    /**
     * @param count    number of pings, 0 = unlimited.
     * @param validate whether to compare the returned data.
     * @param peer     for error messages.
     */
    PingClient(PingEndpoint endpoint, PingLog log, int count, boolean validate, String peer) {
        super(endpoint, log, peer);
        this.count = count;
        this.validate = validate;
    }

    Step step() {
        return step;
    }

    /** Whether the connection is being established. */
    boolean isConnecting() {
        return step == Step.CONNECTING;
    }

    /** Whether a ping is outstanding. */
    boolean isPinging() {
        return step == Step.READING || step == Step.WRITING;
    }

    /** Pings completed. */
    int pings() {
        return ping;
    }

    @Override
    PingState awaited() {
        return step.state;
    }

    @Override
    String attempt() {
        return "ping " + ping;
    }

    @Override
    boolean isOver() {
        return !isConnecting() && !isPinging();
    }

    @Override
    void giveUp() {
        step = Step.FAILED;
    }

    @Override
    void onSuccess(WorkCompletion completion) {
        switch (completion.operation()) {
            case RECEIVE -> {
                log.debug("recv completion");
                step = onGoAhead(completion);
            }
            default -> log.debug("send completion");
        }
    }

    private Step onGoAhead(WorkCompletion completion) {
        if (isMalformed(completion)) {
            return Step.FAILED;
        }
        endpoint.postReceive();
        return switch (step) {
            case READING -> advertise(endpoint.sinkAdvert(), Step.WRITING);
            case WRITING -> onReturned();
            case CONNECTING, DONE, CLOSED, FAILED -> step;
        };
    }

    private Step advertise(BufferAdvert advert, Step next) {
        log.debug("RDMA %s", advert);
        endpoint.send(advert);
        return next;
    }

    private Step onReturned() {
        if (validate && !endpoint.source().equals(endpoint.sink())) {
            log.error("data mismatch!");
            fail("ping " + ping + " differs at byte " + endpoint.source().mismatch(endpoint.sink()) + " of "
                + endpoint.source().capacity() + ": the server returned other data than it was sent");
            return Step.FAILED;
        }
        log.ping("ping data: " + PingText.of(endpoint.sink()));
        ping++;
        return count != 0 && ping >= count ? Step.DONE : next();
    }

    private Step next() {
        PingText.fill(endpoint.source(), ping);
        return advertise(endpoint.sourceAdvert(), Step.READING);
    }

    @Override
    public void onEvent(CmEvent event) {
        log.debug("cma_event type %s cma_id %x (parent)", event.type().rdmaName(), event.connection().localCommunicationId());
        switch (event.type()) {
            case CONNECT_RESPONSE -> {
                log.debug("CONNECT_RESPONSE");
                establish(event.connection());
            }
            case ESTABLISHED -> {
                log.debug("ESTABLISHED");
                step = start();
            }
            case DISCONNECTED -> onDisconnected(event);
            case REJECTED, UNREACHABLE, CONNECT_ERROR -> onBroken(event);
            case CONNECT_REQUEST, ALTERNATE_PATH, TIMEWAIT_EXIT -> {
                // A client receives no CONNECT_REQUEST; TIMEWAIT_EXIT follows the disconnect.
            }
        }
    }

    /** Brings the queue pair to RTS in this program, as {@code rping -q}. */
    private void establish(CmConnection connection) {
        QueuePairSetup.toReadyToSend(endpoint.queuePair(), connection.terms());
        if (connection.establish()) {
            step = start();
        }
    }

    private Step start() {
        if (step != Step.CONNECTING) {
            return step;
        }
        log.debug("rdma_connect successful");
        return next();
    }

    private void onDisconnected(CmEvent event) {
        log.error("client DISCONNECT EVENT...");
        if (step == Step.DONE) {
            step = Step.CLOSED;
            if (!event.explanation().isEmpty()) {
                log.error("warning: " + event.explanation());
            }
        } else if (step != Step.FAILED) {
            giveUp(PingState.DISCONNECTED, peer + " disconnected after " + ping + (count == 0 ? "" : " of " + count)
                + " pings: see its output for the reason" + (event.explanation().isEmpty() ? "" : "; " + event.explanation()));
        }
    }
}
