package io.rxe.sim;

import io.rxe.device.EngineDefects;
import io.rxe.qp.QueueDefects;
import io.rxe.qp.completer.CompleterDefects;
import io.rxe.qp.requester.RequesterDefects;
import io.rxe.qp.responder.ResponderDefects;
import java.util.Map;

/** Defects the simulation has to notice: each is one method of one class with advice woven in, and everything else as it is. */
enum Defect {
    DROPS_ATOMIC_REPLAY("io.rxe.qp.responder.DuplicateRequests", "atomic", QueueDefects.DoesNothing.class,
        "a repeated atomic is dropped instead of answered with its saved result (R6)"),
    REPEATS_ATOMIC("io.rxe.qp.responder.DuplicateRequests", "onDuplicate", ResponderDefects.RepeatsAtomic.class,
        "a repeated FETCH_AND_ADD takes effect again (R6)"),
    REPEATS_WRITE("io.rxe.qp.responder.Responder", "duplicate", ResponderDefects.RepeatsWrite.class,
        "a repeated WRITE is carried out again, over what was written since (R4)"),
    REPEATS_SEND("io.rxe.qp.responder.Responder", "duplicate", ResponderDefects.RepeatsSend.class,
        "a repeated SEND takes another receive request (R4)"),
    NAKS_DUPLICATES("io.rxe.qp.responder.Responder", "duplicate", ResponderDefects.NaksDuplicates.class,
        "a duplicate is answered with a sequence NAK (R3)"),
    DROPS_DUPLICATES("io.rxe.qp.responder.DuplicateRequests", "onDuplicate", QueueDefects.DoesNothing.class,
        "duplicates are dropped in silence (R4 to R6)"),
    REPLAYS_WHOLE_READ("io.rxe.qp.responder.DuplicateRequests", "read", ResponderDefects.ReplaysWholeRead.class,
        "a READ repeated from its middle is answered from its beginning (R5)"),
    ACKNOWLEDGES_EARLY("io.rxe.qp.responder.Responder", "gap", ResponderDefects.AcknowledgesEarly.class,
        "what arrives behind a gap is acknowledged before it is executed (R2)"),
    ACKNOWLEDGES_READS("io.rxe.qp.responder.Responder", "execute", ResponderDefects.AcknowledgesReads.class,
        "a plain acknowledgement carries the PSN of a READ (rxe-facts section 0)"),
    FORGETS_MESSAGE_NUMBER("io.rxe.qp.responder.Replies", "nextMessage", ResponderDefects.ForgetsMessageNumber.class,
        "the MSN does not count (R15)"),
    LOSES_ACKNOWLEDGEMENT("io.rxe.qp.responder.Replies", "sendNext", ResponderDefects.LosesAcknowledgement.class,
        "an acknowledgement is lost when the sink is full (R18)"),
    KEEPS_RECEIVE("io.rxe.qp.ReceiveQueue", "take", QueueDefects.KeepsReceive.class,
        "a receive request serves two messages"),
    NEVER_REPORTS_GAPS("io.rxe.qp.ReorderHold", "isDue", QueueDefects.SaysNo.class,
        "neither a gap in the requests nor one in the answers is ever reported (R1, Q5)"),
    FORGETS_IMPLIED_NAK("io.rxe.qp.completer.Completer", "watchHole", QueueDefects.DoesNothing.class,
        "an answer that was overtaken is not asked for again (Q4, Q5)"),
    ACCEPTS_GHOSTS("io.rxe.qp.completer.Completer", "checkPsn", CompleterDefects.AcceptsGhosts.class,
        "an acknowledgement of what was never sent counts (P5)"),
    COMPLETES_BACKWARDS("io.rxe.qp.completer.Completer", "completeAnswered", CompleterDefects.CompletesBackwards.class,
        "requests answered together complete youngest first (Q14)"),
    FORGETS_TO_RELOAD("io.rxe.qp.completer.Completer", "advance", "reload",
        "the retry counters are not reloaded by progress (T6)"),
    IGNORES_RNR_DELAY("io.rxe.qp.RetryCounters", "waitForReceiver", QueueDefects.IgnoresRnrDelay.class,
        "a request is sent again before the RNR delay is over (T8)"),
    TIMER_NEVER_FIRES("io.rxe.qp.RetryCounters", "deadlineNs", QueueDefects.NeverFires.class,
        "the transport timer never expires (T3)"),
    IGNORES_FENCE("io.rxe.qp.SendWqe", "isFence", QueueDefects.SaysNo.class,
        "a fenced request does not wait for READs"),
    COMPLETES_UNSIGNALED("io.rxe.qp.SendWqe", "isSignaled", QueueDefects.SaysYes.class,
        "unsignaled requests complete visibly (Q14)"),
    EXCEEDS_READ_LIMIT("io.rxe.qp.requester.Requester", "hasReadAtomicPlace", QueueDefects.SaysYes.class,
        "READs and atomics go out whatever max_rd_atomic is (Q11)"),
    FREES_PLACES_OUT_OF_ORDER("io.rxe.qp.SendState", "readAtomicInUse", QueueDefects.FreesPlacesOutOfOrder.class,
        "a place of max_rd_atomic is free again while an older READ is unanswered (Q11, R7)"),
    RESUMES_READ_AT_ITS_BEGINNING("io.rxe.qp.requester.RequestPacket", "writeExtensions",
        RequesterDefects.ResumesReadAtItsBeginning.class, "a resumed READ asks for the address of its beginning (Q5)"),
    SKIPS_PSN_WHEN_FULL("io.rxe.qp.requester.Requester", "sendNew", RequesterDefects.SkipsPsnWhenFull.class,
        "the PSN moves on although the sink took nothing (P2)"),
    COMPLETES_READ_EARLY("io.rxe.qp.ReadProgress", "received", QueueDefects.CompletesReadEarly.class,
        "the first packet of a READ completes it"),
    FORGETS_FLUSH("io.rxe.qp.QueuePairContext", "flush", QueueDefects.DoesNothing.class,
        "what is queued on a failed queue pair never completes (Q12)"),
    MISCOUNTS_AT_WRAP("io.rxe.wire.Psn", "subtract", QueueDefects.MiscountsAtWrap.class,
        "a distance across the PSN wrap is one too large (P3)"),
    BELIEVES_EVERY_ICRC("io.rxe.device.Engine", "checkIcrc", EngineDefects.BelievesEveryIcrc.class,
        "the ICRC is not checked (R16)"),
    LEAKS_KEPT_REQUESTS("io.rxe.qp.responder.ReorderBuffer", "clear", QueueDefects.DoesNothing.class,
        "requests kept behind a gap outlive their queue pair");

    /** Seen only where nothing else disturbs. */
    private static final Map<Defect, SimulationOptions.Weather> WEATHER = Map.of(LOSES_ACKNOWLEDGEMENT, SimulationOptions.Weather.CALM);

    final String className;
    final String methodName;
    /** Woven into the method, or null. */
    final Class<?> advice;
    /** Name of a method whose calls in there are left out, or null. */
    final String omitted;
    final String sentence;

    Defect(String className, String methodName, Class<?> advice, String sentence) {
        this.className = className;
        this.methodName = methodName;
        this.advice = advice;
        this.omitted = null;
        this.sentence = sentence;
    }

    Defect(String className, String methodName, String omitted, String sentence) {
        this.className = className;
        this.methodName = methodName;
        this.advice = null;
        this.omitted = omitted;
        this.sentence = sentence;
    }

    /** Name of the weather to look for it in, or null for any. */
    String weather() {
        SimulationOptions.Weather weather = WEATHER.get(this);
        return weather == null ? null : weather.name();
    }
}
