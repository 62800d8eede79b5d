package io.rxe.sim;

import io.rxe.device.NicInspection;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Arrays;

/** The receives of an {@link Application}: posts them, and checks each against the message that the peer posted. */
final class ReceiveSide {
    /** Bit that marks the work request id of a receive. */
    private static final long RECEIVE_ID = 1L << 62;

    private record Receive(long id, int slot, ElementLayout layout) {
    }

    /** Messages of the peer that consume a receive and are not received yet. */
    final ArrayDeque<Request> incoming = new ArrayDeque<>();
    private final Application application;
    private final ApplicationSettings settings;
    private final ApplicationMemory memory;
    private final SeededRandom random;
    private final ReceiveRequest receiveRequest = new ReceiveRequest();
    private final ArrayDeque<Receive> outstanding = new ArrayDeque<>();
    private long posted;
    private long postedByIncarnation;
    /** Messages whose completion was polled. */
    long messagesFetched;

    ReceiveSide(Application application, SeededRandom random) {
        this.application = application;
        this.settings = application.settings;
        this.memory = application.memory;
        this.random = random;
    }

    /** Whether a completion is that of a receive. */
    static boolean isReceive(WorkCompletion completion) {
        return (completion.workRequestId() & RECEIVE_ID) != 0;
    }

    /** Discards the receives in the queue: the queue pair was reset or destroyed. */
    void discard() {
        outstanding.clear();
    }

    /** A new incarnation of the connection: messages of the old one are not expected any more. */
    void restart() {
        incoming.clear();
        messagesFetched = 0;
        postedByIncarnation = 0;
    }

    long posted() {
        return posted;
    }

    /** Receives posted since the connection began. */
    long postedByIncarnation() {
        return postedByIncarnation;
    }

    int outstanding() {
        return outstanding.size();
    }

    void post() {
        int budget = random.between(1, settings.receiveDepth);
        while (outstanding.size() < settings.receiveDepth && budget-- > 0) {
            int slot = memory.receiveStart + (int) (posted % settings.receiveDepth) * settings.receiveSlotBytes();
            ElementLayout layout = ElementLayout.cut(random, settings.maxMessage, settings.maxReceiveElements);
            memory.clear(slot, settings.receiveSlotBytes());
            boolean isInvalid = settings.invalidReceiveFrom >= 0 && postedByIncarnation >= settings.invalidReceiveFrom;
            receiveRequest.clear().id(RECEIVE_ID | posted);
            for (int i = 0; i < layout.offsets.length; i++) {
                receiveRequest.add(memory.receives.address() + slot - memory.receiveStart + layout.offsets[i], layout.lengths[i],
                    isInvalid ? ~memory.receives.lKey() : memory.receives.lKey());
            }
            if (application.responder() != null) {
                application.responder().postReceive(RECEIVE_ID | posted, slot, layout);
            } else if (!application.queuePair.postReceive(receiveRequest)) {
                throw application.fail("the receive queue is full with " + outstanding.size() + " of " + settings.receiveDepth
                    + " receives posted");
            }
            outstanding.add(new Receive(RECEIVE_ID | posted, slot, layout));
            posted++;
            postedByIncarnation++;
        }
    }

    void onCompletion(WorkCompletion completion) {
        Receive receive = outstanding.poll();
        if (receive == null || receive.id() != completion.workRequestId()) {
            throw application.fail("receive " + (completion.workRequestId() ^ RECEIVE_ID) + " completed, but " + receive
                + " comes first");
        }
        if (!completion.isSuccess()) {
            checkFailed(completion);
            return;
        }
        Request message = incoming.poll();
        if (message == null) {
            throw application.fail("a message was delivered twice, or was never sent: " + completion);
        }
        checkHeader(message, completion);
        int delivered = message.operation.isWrite() ? 0 : message.length;
        byte[] received = receive.layout().gather(memory.memory, receive.slot(), delivered);
        if (delivered > 0 && !Arrays.equals(received, message.data)) {
            throw application.fail(message + " was delivered with wrong bytes");
        }
        int touched = receive.layout().firstTouched(memory.memory, receive.slot(), settings.receiveSlotBytes(), delivered);
        if (touched >= 0) {
            throw application.fail(message + " changed byte " + touched + " of the receive slot, outside the message");
        }
        if (completion.hasInvalidatedKey() && NicInspection.hasKey(application.node.nic(), message.invalidatedKey)) {
            throw application.fail(message + " left its key valid");
        }
        if (completion.hasInvalidatedKey() && application.windows != null) {
            application.windows.invalidatedByPeer(completion.invalidatedKey());
        }
    }

    private void checkHeader(Request message, WorkCompletion completion) {
        boolean isWrite = message.operation.isWrite();
        boolean fits = completion.byteLength() == message.length && completion.isSolicited() == message.solicited
            && completion.operation() == (isWrite ? Operation.RECEIVE_RDMA_WITH_IMMEDIATE : Operation.RECEIVE)
            && completion.hasImmediate() == (isWrite || message.operation == Operation.SEND_WITH_IMMEDIATE)
            && (!completion.hasImmediate() || completion.immediate() == message.immediate)
            && completion.hasInvalidatedKey() == (message.operation == Operation.SEND_WITH_INVALIDATE)
            && (!completion.hasInvalidatedKey() || completion.invalidatedKey() == message.invalidatedKey);
        if (!fits) {
            throw application.fail(message + " was delivered as " + completion);
        }
    }

    private void checkFailed(WorkCompletion completion) {
        CompletionStatus status = completion.status();
        boolean allowed = status == CompletionStatus.WR_FLUSH_ERR && application.queuePair.state() == QueuePairState.ERROR
            || status == CompletionStatus.LOC_LEN_ERR && application.peer.settings.error == InjectedError.RECEIVE_TOO_SHORT
            || (status == CompletionStatus.LOC_PROT_ERR || status == CompletionStatus.LOC_QP_OP_ERR)
            && (settings.invalidReceiveFrom >= 0 || memory.isDeregistered())
            || status == CompletionStatus.LOC_ACCESS_ERR && memory.isDeregistered();
        if (!allowed) {
            throw application.fail("a receive failed: " + completion);
        }
    }
}
