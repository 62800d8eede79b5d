package io.rxe.net.socket;

import io.netty.channel.unix.Errors.NativeIoException;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.Warnings;
import java.net.ConnectException;
import java.net.PortUnreachableException;
import java.nio.channels.ClosedChannelException;

/** Classifies failed sends, counts them by kind and warns of each kind once. */
final class SendErrors {
    static final int EPERM = 1;
    private static final int EIO = 5;
    static final int EACCES = 13;
    private static final int EINVAL = 22;
    private static final int EMSGSIZE = 90;
    private static final int ENETUNREACH = 101;
    private static final int ENOBUFS = 105;
    private static final int ECONNREFUSED = 111;
    private static final int EHOSTUNREACH = 113;

    private final NetCounters counters;
    private final Warnings warnings;

    SendErrors(NetCounters counters, Warnings warnings) {
        this.counters = counters;
        this.warnings = warnings;
    }

    /**
     * Classifies a failed send.
     *
     * @param segmented whether it carried several frames.
     */
    SendStatus classify(Throwable cause, boolean segmented) {
        int error = errorNumber(cause);
        if (segmented && (error == EIO || error == EINVAL)) {
            counters.count(NetCounter.SEGMENTATION_REFUSED);
            return SendStatus.SEGMENTATION_REFUSED;
        }
        NetCounter kind = kind(error);
        counters.count(kind);
        if (!(cause instanceof ClosedChannelException)) {
            warnings.once(kind.label(), "a send failed (" + cause.getMessage() + "), " + remedy(kind)
                + "; the frames are dropped and the protocol retransmits them; further failures of this kind are only counted");
        }
        return switch (error) {
            case ENETUNREACH, EHOSTUNREACH -> SendStatus.NO_ROUTE;
            case EPERM, EACCES -> SendStatus.NOT_PERMITTED;
            case EINVAL -> SendStatus.INVALID;
            default -> SendStatus.FAILED;
        };
    }

    private static int errorNumber(Throwable cause) {
        if (cause instanceof NativeIoException known) {
            return -known.expectedErr();
        }
        return cause instanceof PortUnreachableException || cause instanceof ConnectException ? ECONNREFUSED : 0;
    }

    private static NetCounter kind(int error) {
        return switch (error) {
            case ENOBUFS -> NetCounter.SEND_NO_BUFFERS;
            case EPERM, EACCES -> NetCounter.SEND_NOT_PERMITTED;
            case ECONNREFUSED -> NetCounter.SEND_REFUSED;
            case EMSGSIZE -> NetCounter.SEND_TOO_LONG;
            case ENETUNREACH, EHOSTUNREACH -> NetCounter.SEND_UNREACHABLE;
            default -> NetCounter.SEND_OTHER_ERROR;
        };
    }

    private static String remedy(NetCounter kind) {
        return switch (kind) {
            case SEND_NO_BUFFERS -> "the device queue is full: lengthen it (`ip link set dev IFNAME txqueuelen 10000`)";
            case SEND_NOT_PERMITTED -> "a firewall rule rejects it: allow UDP 4791 out";
            case SEND_REFUSED -> "nothing listens at the peer: start it";
            case SEND_TOO_LONG -> "the path carries less than the chosen path MTU: lower it or raise the interface MTU";
            case SEND_UNREACHABLE -> "there is no route to the peer: see `ip route get`";
            default -> "see the error in sendto(2)";
        };
    }
}
