package io.rxe.qp.requester;

import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWqe;
import io.rxe.wire.Opcode;
import java.nio.ByteOrder;
import net.bytebuddy.asm.Advice;
import org.agrona.MutableDirectBuffer;

/** Defects to plant into the requester; each class is advice for one method, copied into it by ByteBuddy. See io.rxe.sim.Defect. */
public final class RequesterDefects {
    private RequesterDefects() {
    }

    /** For RequestPacket.writeExtensions: a resumed READ requests its beginning. */
    public static final class ResumesReadAtItsBeginning {
        private ResumesReadAtItsBeginning() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) SendWqe wqe, @Advice.Argument(1) Opcode opcode, @Advice.Argument(4) MutableDirectBuffer buffer,
                         @Advice.Argument(5) int offset) {
            if (opcode.isReadRequest()) {
                buffer.putLong(offset + opcode.rethOffset(), wqe.remoteAddress(), ByteOrder.BIG_ENDIAN);
            }
        }
    }

    /** For Requester.sendNew: the PSN advances although the sink was full. */
    public static final class SkipsPsnWhenFull {
        private SkipsPsnWhenFull() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return RequesterState next, @Advice.FieldValue("send") SendState send) {
            if (next == RequesterState.WAIT_SINK) {
                send.sentNew(1);
            }
        }
    }
}
