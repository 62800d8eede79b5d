package io.rxe.disni;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.SVCPostRecv;
import io.rxe.fault.VerbError;
import io.rxe.verbs.ReceiveRequest;
import java.io.IOException;
import java.util.List;

/**
 * Posts a list of requests to a receive queue each time it is run. Keeps a copy of the list. A run allocates nothing. One thread at a
 * time runs it.
 */
final class PostReceiveCall extends SVCPostRecv {
    static final String CALL = "j2c::post_recv: ibv_post_recv failed";

    private final DisniQueuePair owner;
    private final Kept[] requests;
    private final ReceiveRequest request = new ReceiveRequest();
    private boolean valid = true;

    /** A request with copies of its elements. */
    private record Kept(long id, Element[] elements) implements RecvWRMod {
        static Kept of(IbvRecvWR request) {
            return new Kept(request.getWr_id(), Element.copies(request.getSg_list(), request.getNum_sge()));
        }

        @Override
        public long getWr_id() {
            return id;
        }
    }

    /** @param list copied. */
    PostReceiveCall(DisniQueuePair owner, List<IbvRecvWR> list) {
        this.owner = owner;
        this.requests = list.stream().map(Kept::of).toArray(Kept[]::new);
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        Failure.requireOpen(owner.isOpen(), "Trying to post receive on closed QP");
        Failure.requireOpen(valid, "Trying to post receive with a freed call");
        synchronized (owner.receiveLock()) {
            try {
                for (Kept kept : requests) {
                    post(kept);
                }
            } catch (IllegalArgumentException | IllegalStateException e) {
                throw Failure.refused(CALL, e);
            }
        }
        return this;
    }

    private void post(Kept kept) throws IOException {
        request.clear().id(kept.id());
        for (Element element : kept.elements()) {
            request.add(element.getAddr(), element.getLength(), element.getLkey());
        }
        if (!owner.queuePair().postReceive(request)) {
            throw Failure.of(VerbError.ENOMEM, CALL, "the receive queue is full: poll completions first");
        }
    }

    @Override
    public RecvWRMod getWrMod(int index) {
        return requests[index];
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCPostRecv free() {
        valid = false;
        return this;
    }
}
