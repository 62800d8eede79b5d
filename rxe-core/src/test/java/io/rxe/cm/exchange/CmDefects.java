package io.rxe.cm.exchange;

import io.rxe.wire.Gid;
import net.bytebuddy.asm.Advice;

/** Defects to plant into connection management; each class is advice for one method. See io.rxe.cm.CmDefect. */
public final class CmDefects {
    private CmDefects() {
    }

    /** For a method that limits a code: it does not. */
    public static final class ReturnsItsArgument {
        private ReturnsItsArgument() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) int code, @Advice.Return(readOnly = false) int limited) {
            limited = code;
        }
    }

    /** For a method that limits a deadline: it does not. */
    public static final class ReturnsItsDeadline {
        private ReturnsItsDeadline() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long deadlineNs, @Advice.Return(readOnly = false) long limitedNs) {
            limitedNs = deadlineNs;
        }
    }

    /** For CmCore.onMad: every source looks like a host. */
    public static final class TakesGroupsForHosts {
        private TakesGroupsForHosts() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) Gid source) {
            source = source.isUnicast() ? source : Gid.ofIpv4(1);
        }
    }

    /** For ExchangeTable.drawId. */
    public static final class CountsUp {
        private CountsUp() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This ExchangeTable<?> table, @Advice.Return(readOnly = false) int id) {
            id = table.size() + 1;
        }
    }

    /** For ExchangeContext.newTransaction. */
    public static final class AlwaysTheSame {
        private AlwaysTheSame() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long transactionId) {
            transactionId = 7;
        }
    }
}
