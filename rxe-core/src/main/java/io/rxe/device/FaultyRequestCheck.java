package io.rxe.device;

import io.rxe.fault.RequestFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbFaults;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;

/**
 * The checks of a NIC where posts, or the requests that are posted, can be made to fail. A request that is to fail is queued with its
 * status, and the requester fails it when its turn comes, as it does with one that cannot be carried out.
 */
final class FaultyRequestCheck extends RequestCheck {
    private final VerbFaults faults;
    private final int number;
    private final QueuePairType type;

    FaultyRequestCheck(Nic nic, QueuePairContext pair, QueuePairConfig config, RegionCheck regions) {
        super(nic, pair, config, regions);
        this.faults = nic.faults();
        this.number = pair.number();
        this.type = pair.type();
    }

    @Override
    boolean take(SendWqe slot) {
        RequestFault fault = slot.operation().isLocal() ? null : faults.onRequest(number, type, slot.lengthBytes());
        if (fault != null && fault.status() == null) {
            return false;
        }
        slot.failAs(fault == null ? null : fault.status(), fault == null ? null : fault.why());
        return true;
    }

    @Override
    void check(ReceiveRequest request) {
        super.check(request);
        faults.onCall(Verb.POST_RECV, request.scatterGather().totalBytes());
    }
}
