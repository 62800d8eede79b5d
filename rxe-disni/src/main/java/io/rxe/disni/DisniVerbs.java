package io.rxe.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The verbs. Any thread. Errors have the words of DiSNI and libdisni. */
final class DisniVerbs extends RdmaVerbs {
    /** What libdisni returns where on-demand paging is missing. */
    private static final int NO_ON_DEMAND_PAGING = -1;

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        Failure.requireOpen(context.isOpen(), "Trying to allocate PD on closed context.");
        return Failure.named("j2c::allocPd: ibv_alloc_pd failed", () -> new DisniDomain((DisniContext) context));
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        Failure.requireOpen(context.isOpen(), "Trying to create completion channel with closed channel.");
        Failure.step("j2c::createCompChannel: ibv_create_comp_channel failed",
            () -> ((DisniContext) context).onCall(Verb.CREATE_COMP_CHANNEL));
        return new DisniCompletionChannel((DisniContext) context);
    }

    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel compChannel, int ncqe, int compVector) throws IOException {
        Failure.requireOpen(context.isOpen(), "Trying to create CQ with closed context.");
        Failure.requireOpen(compChannel == null || compChannel.isOpen(), "Trying to create CQ with closed completion channel.");
        return Failure.named("j2c::createCQ: ibv_create_cq failed",
            () -> new DisniCompletionQueue((DisniContext) context, (DisniCompletionChannel) compChannel, ncqe));
    }

    @Override
    public boolean getCqEvent(IbvCompChannel compChannel, IbvCQ cq, int timeout) throws IOException {
        Failure.requireOpen(compChannel.isOpen(), "Trying to get CQ event on closed completion channel.");
        return Failure.named("GetCQEvent failed", () -> {
            ((DisniContext) compChannel.getContext()).onCall(Verb.GET_CQ_EVENT);
            return ((DisniCompletionChannel) compChannel).await(timeout);
        });
    }

    /** Registers the whole buffer, whatever its position and limit, as DiSNI does. */
    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) {
        return new RegisterCall((DisniDomain) pd, buffer::duplicate, access);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) {
        return new RegisterCall((DisniDomain) pd, () -> NativeMemory.buffer(address, length), access);
    }

    @Override
    public int queryOdpSupport(IbvContext context) {
        return NO_ON_DEMAND_PAGING;
    }

    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) {
        return NO_ON_DEMAND_PAGING;
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) {
        return new DeregisterCall((DisniRegion) mr);
    }

    @Override
    public SVCPostSend postSend(IbvQP qp, List<IbvSendWR> requests, List<IbvSendWR> bad) throws IOException {
        return Failure.named(PostSendCall.CALL, () -> new PostSendCall((DisniQueuePair) qp, requests));
    }

    @Override
    public SVCPostRecv postRecv(IbvQP qp, List<IbvRecvWR> requests, List<IbvRecvWR> bad) throws IOException {
        return Failure.named(PostReceiveCall.CALL, () -> new PostReceiveCall((DisniQueuePair) qp, requests));
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ cq, IbvWC[] completions, int count) {
        return new PollCall((DisniCompletionQueue) cq, completions, count);
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) {
        return new NotifyCall((DisniCompletionQueue) cq, solicitedOnly);
    }

    /** Nothing waits for acknowledgements here. */
    @Override
    public int ackCqEvents(IbvCQ cq, int count) throws IOException {
        Failure.requireOpen(cq.isOpen(), "Trying to acknowledge events on closed CQ.");
        return 0;
    }

    @Override
    public int destroyCompChannel(IbvCompChannel compChannel) throws IOException {
        Failure.requireOpen(compChannel.isOpen(), "Trying to destroy an already destroyed completion channel.");
        Failure.step("j2c::destroyCompChannel: ibv_destroy_comp_channel failed",
            () -> ((DisniContext) compChannel.getContext()).onCall(Verb.DESTROY_COMP_CHANNEL));
        compChannel.close();
        ((DisniCompletionChannel) compChannel).channel().close();
        return 0;
    }

    /** Returns EBUSY where queue pairs or regions of the domain exist: then nothing has changed but that the program cannot use it. */
    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        Failure.requireOpen(pd.isOpen(), "Trying to deallocate a closed protection domain.");
        DisniDomain domain = (DisniDomain) pd;
        pd.close();
        if (domain.isUsed()) {
            return VerbError.EBUSY.number();
        }
        try {
            domain.domain().close();
            return 0;
        } catch (IllegalArgumentException | IllegalStateException e) {
            if (e instanceof VerbFailure made) {
                return made.error().number();
            }
            throw e;
        }
    }

    @Override
    public int destroyCQ(IbvCQ cq) throws IOException {
        Failure.requireOpen(cq.isOpen(), "Trying to destroy already destroyed CQ.");
        Failure.step("j2c::destroyCQ: ibv_destroy_cq failed", () -> ((DisniCompletionQueue) cq).queue().close());
        cq.close();
        return 0;
    }
}
