package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectionService;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/** Either side of rdma_client and rdma_server: sends one message of 16 bytes and receives one. One thread. */
final class MessageEndpoint implements EventHandler, AutoCloseable {
    /** Largest number of unpolled completions. */
    static final int COMPLETIONS = 4;
    private static final int MESSAGE_BYTES = 16;

    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final MemoryRegion region;
    private final String peer;
    private boolean established;
    private boolean sent;
    private boolean received;
    private boolean disconnected;
    private String why = "";

    /** @param peer for error messages. */
    MessageEndpoint(ManagedNic nic, String peer) {
        this.peer = peer;
        domain = nic.device().allocateProtectionDomain();
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, nic.completions(), nic.completions())
            .withRequests(1, 1).withElements(1, 1).withInline(MESSAGE_BYTES).withSignalAll(true));
        ConnectionService.prepare(queuePair);
        region = domain.register(ByteBuffer.allocateDirect(MESSAGE_BYTES), AccessFlags.LOCAL_WRITE);
        queuePair.postReceive(new ReceiveRequest().add(region, 0, MESSAGE_BYTES));
    }

    QueuePair queuePair() {
        return queuePair;
    }

    void send() {
        queuePair.postSend(new WorkRequest().send().inline(ByteBuffer.allocate(MESSAGE_BYTES)));
    }

    boolean isEstablished() {
        return established;
    }

    /** The peer has acknowledged our message. */
    boolean isSent() {
        return sent;
    }

    /** The peer's message has arrived. */
    boolean isReceived() {
        return received;
    }

    boolean isDisconnected() {
        return disconnected;
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        if (completion.isSuccess()) {
            received |= completion.operation() == Operation.RECEIVE;
            sent |= completion.operation() != Operation.RECEIVE;
        } else if (completion.status() != CompletionStatus.WR_FLUSH_ERR) {
            throw new ToolFailure(RdmaCmMessages.failure(completion, "the message", peer));
        }
    }

    @Override
    public void onEvent(CmEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> established = true;
            case DISCONNECTED -> {
                disconnected = true;
                why = event.explanation();
            }
            case REJECTED, UNREACHABLE, CONNECT_ERROR -> throw new ToolFailure(event.explanation());
            case CONNECT_REQUEST -> event.connection().reject(new byte[0]);
            case CONNECT_RESPONSE, ALTERNATE_PATH, TIMEWAIT_EXIT -> {
                // Connection management brings the queue pair to RTS; this program does not wait for TIMEWAIT.
            }
        }
    }

    /** @throws ToolFailure if the peer disconnected before both messages were exchanged. */
    void checkConnected() {
        if (disconnected) {
            throw new ToolFailure(peer + " disconnected before " + (received ? "it acknowledged the message" : "its message arrived")
                + (why.isEmpty() ? "" : " (" + why + ")") + ": see its output for the reason");
        }
    }

    @Override
    public void close() {
        queuePair.close();
        region.close();
        domain.close();
    }
}
