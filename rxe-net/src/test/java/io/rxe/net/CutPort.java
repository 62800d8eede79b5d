package io.rxe.net;

import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;

/** A port that loses every frame of the paths that are cut. */
final class CutPort extends ForwardingPort {
    private final Predicate<Flow> isCut;

    CutPort(UdpPort inner, Predicate<Flow> isCut) {
        super(inner);
        this.isCut = isCut;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        return isCut.test(flow) ? SendStatus.SENT : super.send(flow, buffer, offset, lengthBytes, segmentBytes);
    }
}
