package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.WorkCompletion;

/** A completion queue of a NIC where polling or arming can be made to fail. */
final class FaultyCompletionQueue extends NicCompletionQueue {
    private final Nic nic;

    FaultyCompletionQueue(Nic nic, int minimumCapacity, CompletionChannel channel, boolean timestamps) {
        super(nic, minimumCapacity, channel, timestamps);
        this.nic = nic;
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        nic.faults().onCall(Verb.POLL_CQ, 0);
        return super.poll(completions);
    }

    @Override
    public boolean poll(WorkCompletion completion) {
        nic.faults().onCall(Verb.POLL_CQ, 0);
        return super.poll(completion);
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        nic.faults().onCall(Verb.REQ_NOTIFY_CQ, 0);
        super.requestNotification(solicitedOnly);
    }
}
