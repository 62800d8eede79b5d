package io.rxe.qp.send;

import io.rxe.port.Flow;
import io.rxe.verbs.CongestionOptions;
import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.asm.Advice;

/** Defects to plant into the send window and what it measures; each class is advice for one method. See io.rxe.sim.RuleDefect. */
public final class SendDefects {
    private SendDefects() {
    }

    /** For DelayControl.onSample: the last round trip counts instead of the fastest. */
    public static final class TakesAnySample {
        private TakesAnySample() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(1) long networkNs,
                         @Advice.FieldValue(value = "fastestNetworkNs", readOnly = false) long fastestNetworkNs) {
            fastestNetworkNs = networkNs;
        }
    }

    /** For DelayControl.onSample: a READ response that waited behind a gap tells of a queue. */
    public static final class BelievesBounds {
        private BelievesBounds() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 3, readOnly = false) boolean isExact) {
            isExact = true;
        }
    }

    /** For DelayControl.onSample: hosts delay nothing. */
    public static final class ForgetsHosts {
        private ForgetsHosts() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) long hostsNs) {
            hostsNs = 0;
        }
    }

    /** For DelayControl.onLost: each loss counts for many. */
    public static final class DreadsLosses {
        private DreadsLosses() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) long packets,
                          @Advice.Argument(value = 1, readOnly = false) long bytes) {
            packets *= 8;
            bytes *= 8;
        }
    }

    /** For DelayControl.onNotified: each notification cuts the window, also the second of one round trip. */
    public static final class CutsTwice {
        private CutsTwice() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "notifiedNs", readOnly = false) long notifiedNs) {
            notifiedNs = Long.MIN_VALUE / 2;
        }
    }

    /** For Flow.withTrafficClass: the flow that was made first for a path, of whatever class, serves all queue pairs on it. */
    public static final class MixesClasses {
        // Public, because advice runs in the class it is woven into.
        public static final Map<Object, Flow> FLOWS = new HashMap<>();

        private MixesClasses() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This Flow flow, @Advice.Return(readOnly = false) Flow made) {
            FLOWS.putIfAbsent(flow, made);
            made = FLOWS.get(flow);
        }
    }

    /** For PeerShares.of: everything counts as a request. */
    public static final class MixesDirections {
        private MixesDirections() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) boolean isRead) {
            isRead = false;
        }
    }

    /** For WindowedMinimum.onSample: time stands still, so that nothing is ever too old to count. */
    public static final class NeverForgets {
        private NeverForgets() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long nowNs) {
            nowNs = 0;
        }
    }

    /** For QueuePairContext.congestion: nothing was chosen for a queue pair. */
    public static final class ChoosesNothing {
        private ChoosesNothing() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CongestionOptions chosen) {
            chosen = null;
        }
    }

    /** For ReadRequestSize.packets: a READ asks for as much as the largest window allows. */
    public static final class IgnoresTheWindow {
        private IgnoresTheWindow() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long windowPackets, @Advice.Argument(2) long mostPackets) {
            windowPackets = mostPackets;
        }
    }
}
