package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.verbs.WorkCompletion;

/**
 * One connection of an rping server.
 *
 * <pre>{@code
 *   RDMA_READ_ADV ------ source advert: READ ------> RDMA_READ_COMPLETE
 *     ^                                                | READ done: SEND go ahead
 *     | WRITE done: SEND go ahead                      v
 *   RDMA_WRITE_COMPLETE <--- sink advert: WRITE --- RDMA_WRITE_ADV
 *
 *   DISCONNECTED, or a failure: OVER
 * }</pre>
 */
final class PingServer extends PingSide {
    /** What the server waits for; the names are those of rping, except OVER. */
    enum Step {
        RDMA_READ_ADV(PingState.RDMA_READ_ADV),
        RDMA_READ_COMPLETE(PingState.RDMA_READ_COMPLETE),
        RDMA_WRITE_ADV(PingState.RDMA_WRITE_ADV),
        RDMA_WRITE_COMPLETE(PingState.RDMA_WRITE_COMPLETE),
        OVER(PingState.ERROR);

        private final PingState state;

        Step(PingState state) {
            this.state = state;
        }
    }

    private final CmConnection connection;
    private long heardNs = System.nanoTime();
    private Step step = Step.RDMA_READ_ADV;
    private boolean selfModified;

    PingServer(PingEndpoint endpoint, CmConnection connection, PingLog log) {
        super(endpoint, log, HostNames.text(connection.peer()));
        this.connection = connection;
    }

    /**
     * Accepts the request.
     *
     * @param isSelfModified whether this program, not connection management, brings the queue pair to RTS, as {@code rping -q}.
     */
    void accept(boolean isSelfModified) {
        selfModified = isSelfModified;
        log.debug("accepting client connection request");
        endpoint.postReceive();
        ConnectParameters parameters = new ConnectParameters().keepAliveNs(ConnectOptions.KEEP_ALIVE_NS);
        if (selfModified) {
            QueuePairSetup.toReadyToSend(endpoint.queuePair(), connection.terms());
            connection.accept(parameters.responderResources(1).initiatorDepth(1).queuePairNumber(endpoint.queuePair().number()));
        } else {
            connection.accept(endpoint.queuePair(), parameters);
        }
    }

    /** Something came from the client. */
    void received(long nowNs) {
        heardNs = nowNs;
    }

    /** When something came from the client last. */
    long heardNs() {
        return heardNs;
    }

    CmConnection connection() {
        return connection;
    }

    int queuePairNumber() {
        return endpoint.queuePair().number();
    }

    @Override
    boolean isOver() {
        return step == Step.OVER;
    }

    @Override
    PingState awaited() {
        return step.state;
    }

    @Override
    String attempt() {
        return "waiting for " + step.state;
    }

    @Override
    void giveUp() {
        step = Step.OVER;
    }

    @Override
    void onSuccess(WorkCompletion completion) {
        step = switch (completion.operation()) {
            case RECEIVE -> onAdvert(completion);
            case RDMA_READ -> onRead();
            case RDMA_WRITE -> onWritten();
            default -> {
                log.debug("send completion");
                yield step;
            }
        };
    }

    private Step onAdvert(WorkCompletion completion) {
        log.debug("recv completion");
        if (isMalformed(completion)) {
            return Step.OVER;
        }
        if (selfModified) {
            // Connection management does not know this queue pair, and the client's RTU may have been lost.
            connection.notifyEstablished();
        }
        BufferAdvert advert = endpoint.received();
        log.debug("Received rkey %x addr %x len %d from peer", advert.key(), advert.address(), advert.sizeBytes());
        endpoint.postReceive();
        return switch (step) {
            case RDMA_READ_ADV -> read(advert);
            case RDMA_WRITE_ADV -> write(advert);
            case RDMA_READ_COMPLETE, RDMA_WRITE_COMPLETE -> {
                fail(peer + " sent a message before our go-ahead: is it another program?");
                yield Step.OVER;
            }
            case OVER -> step;
        };
    }

    private Step read(BufferAdvert advert) {
        log.debug("server received sink adv");
        if (advert.sizeBytes() < 0 || advert.sizeBytes() > endpoint.sink().capacity()) {
            fail("the pings of " + peer + " have " + Integer.toUnsignedString(advert.sizeBytes()) + " bytes, this server's buffer has "
                + endpoint.sink().capacity() + ": use the same -S at both ends");
            return Step.OVER;
        }
        endpoint.read(advert);
        log.debug("server posted rdma read req ");
        return Step.RDMA_READ_COMPLETE;
    }

    private Step onRead() {
        log.debug("rdma read completion");
        log.debug("server received read complete");
        log.ping("server ping data: " + PingText.of(endpoint.sink()));
        endpoint.sendGoAhead();
        log.debug("server posted go ahead");
        return Step.RDMA_WRITE_ADV;
    }

    private Step write(BufferAdvert advert) {
        log.debug("server received sink adv");
        int length = Math.min(PingText.length(endpoint.sink()) + 1, endpoint.sink().capacity());
        endpoint.write(advert, length);
        log.debug("rdma write from len %d", length);
        return Step.RDMA_WRITE_COMPLETE;
    }

    private Step onWritten() {
        log.debug("rdma write completion");
        log.debug("server rdma write complete ");
        endpoint.sendGoAhead();
        log.debug("server posted go ahead");
        return Step.RDMA_READ_ADV;
    }

    @Override
    public void onEvent(CmEvent event) {
        log.debug("cma_event type %s cma_id %x (child)", event.type().rdmaName(), connection.localCommunicationId());
        switch (event.type()) {
            case ESTABLISHED -> log.debug("ESTABLISHED");
            case DISCONNECTED -> {
                log.error("server DISCONNECT EVENT...");
                if (step != Step.OVER) {
                    giveUp(PingState.DISCONNECTED, event.status() == CmEvent.ABORTED ? event.explanation() : "");
                }
            }
            case REJECTED, UNREACHABLE, CONNECT_ERROR -> onBroken(event);
            case CONNECT_REQUEST, CONNECT_RESPONSE, ALTERNATE_PATH, TIMEWAIT_EXIT -> {
                // An accepted connection receives no CONNECT_*; TIMEWAIT_EXIT follows the disconnect.
            }
        }
    }

    /** Disconnects, unless the peer has done so, and releases queue pair and memory. */
    void close() {
        connection.close();
        endpoint.close();
    }
}
