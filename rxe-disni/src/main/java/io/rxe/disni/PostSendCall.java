package io.rxe.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend;
import io.rxe.fault.VerbError;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Posts a list of requests to a send queue each time it is run: one chain, with one doorbell. Keeps a copy of the list. A run allocates
 * nothing, unless there is inline data. One thread at a time runs it.
 */
final class PostSendCall extends SVCPostSend {
    static final String CALL = "j2c::post_send: ibv_post_send failed";

    private final DisniQueuePair owner;
    private final SendRequest[] requests;
    private final WorkRequest request = new WorkRequest();
    private final ByteBuffer inline;
    private boolean valid = true;

    /** @param list copied. */
    PostSendCall(DisniQueuePair owner, List<IbvSendWR> list) {
        this.owner = owner;
        this.requests = list.stream().map(SendRequest::new).toArray(SendRequest[]::new);
        this.inline = ByteBuffer.allocate(owner.queuePair().capabilities().maxInlineBytes());
    }

    @Override
    public SVCPostSend execute() throws IOException {
        Failure.requireOpen(owner.isOpen(), "Trying to post send on closed QP");
        Failure.requireOpen(valid, "Trying to post send with a freed call");
        QueuePair queuePair = owner.queuePair();
        synchronized (owner.sendLock()) {
            int posted = 0;
            try {
                for (; posted < requests.length; posted++) {
                    requests[posted].fill(request, inline);
                    if (!queuePair.postSendDeferred(request)) {
                        throw Failure.of(VerbError.ENOMEM, CALL, "the send queue is full, after " + posted + " of " + requests.length
                            + " requests: poll completions first");
                    }
                }
            } catch (IllegalArgumentException | IllegalStateException e) {
                throw Failure.refused(CALL, e);
            } finally {
                if (posted > 0) {
                    queuePair.ringDoorbell();
                }
            }
        }
        return this;
    }

    @Override
    public SendWRMod getWrMod(int index) {
        return requests[index];
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCPostSend free() {
        valid = false;
        return this;
    }
}
