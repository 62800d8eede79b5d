package io.rxe.qp.responder;

import io.rxe.qp.congestion.SendRate;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AccessFlags;
import io.rxe.wire.Bth;
import io.rxe.wire.FiveBitCode;
import io.rxe.wire.Reth;

/**
 * Checks and executes READ requests. Those of a known peer tell how fast their responses may leave (rule G9), and the responses how long
 * the request waited on its way (rule G10). A request that tells when it left tells no rate: the one told before holds.
 *
 * <p>Owned by the engine thread.
 */
final class ReadRequests {
    private final QueuePairContext context;
    private final GapReports reports;
    private int rateCode;
    private int waitCode;

    ReadRequests(QueuePairContext context, GapReports reports) {
        this.context = context;
        this.reports = reports;
    }

    /** A new connection. */
    void start() {
        rateCode = 0;
        waitCode = 0;
    }

    /** What arrives now has waited so long on its way. */
    void waitedNs(long ns) {
        waitCode = FiveBitCode.HOST_DELAY.atMost(ns);
    }

    /** Bytes that a request asks for. */
    static long bytes(InboundPacket request) {
        return Reth.dmaLength(request.buffer(), request.at(request.opcode().rethOffset()));
    }

    /** Rules R10, R14: the whole range, before the first response. */
    NakReason checkKey(InboundPacket request) {
        int at = request.at(request.opcode().rethOffset());
        long bytes = bytes(request);
        boolean granted = bytes == 0 || context.remote(Reth.rKey(request.buffer(), at), AccessFlags.REMOTE_READ,
            Reth.virtualAddress(request.buffer(), at), bytes) != null;
        return granted ? null : NakReason.REMOTE_ACCESS;
    }

    /** Has the responses to a request read what it asks for. */
    void execute(InboundPacket request, int domain, long seq, int msn, ResponderResource resource) {
        int at = request.at(request.opcode().rethOffset());
        resource.read(domain, seq, Reth.virtualAddress(request.buffer(), at), Reth.rKey(request.buffer(), at), bytes(request),
            context.mtu(), msn);
        if (reports.isKnown()) {
            if (!Bth.isTimed(request.buffer(), request.offset())) {
                rateCode = Bth.readRate(request.buffer(), request.offset());
            }
            resource.tell(rateCode == 0 ? SendRate.UNPACED : FiveBitCode.READ_RATE.value(rateCode), waitCode);
        }
    }
}
