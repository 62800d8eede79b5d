package io.rxe.device;

import io.rxe.wire.DropReason;
import net.bytebuddy.asm.Advice;

/** Defects to plant into the engine; each class is the advice for one method. See io.rxe.sim.Defect. */
public final class EngineDefects {
    private EngineDefects() {
    }

    /** For PacketAdmission.checkIcrc: accepts every ICRC. */
    public static final class BelievesEveryIcrc {
        private BelievesEveryIcrc() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) DropReason reason) {
            reason = DropReason.NONE;
        }
    }
}
