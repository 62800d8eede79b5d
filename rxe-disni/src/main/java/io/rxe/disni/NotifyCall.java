package io.rxe.disni;

import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;

/** Arms a completion queue. */
final class NotifyCall extends SVCReqNotify {
    private final DisniCompletionQueue queue;
    private final boolean solicitedOnly;
    private boolean valid = true;

    NotifyCall(DisniCompletionQueue queue, boolean solicitedOnly) {
        this.queue = queue;
        this.solicitedOnly = solicitedOnly;
    }

    @Override
    public SVCReqNotify execute() throws IOException {
        Failure.requireOpen(queue.isOpen(), "Trying to execute reqNotifyCQ() on closed CQ.");
        Failure.step("Request for Notification failed", () -> queue.queue().requestNotification(solicitedOnly));
        return this;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCReqNotify free() {
        valid = false;
        return this;
    }
}
