package io.rxe.sim;

import io.rxe.device.EngineDefects;
import io.rxe.qp.QueueDefects;
import io.rxe.qp.completer.CompleterDefects;
import io.rxe.qp.requester.RequesterDefects;
import io.rxe.qp.responder.ResponderDefects;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Defects that the simulation must detect. Each one changes a single method of production code through ByteBuddy advice. */
enum Defect {
    DROPS_ATOMIC_REPLAY("io.rxe.qp.responder.DuplicateRequests", "atomic", QueueDefects.DoesNothing.class,
        "a duplicate atomic is dropped instead of answered with its saved result (R6)"),
    REPEATS_ATOMIC("io.rxe.qp.responder.DuplicateRequests", "onDuplicate", ResponderDefects.RepeatsAtomic.class,
        "a duplicate FETCH_AND_ADD is executed again (R6)"),
    REPEATS_WRITE("io.rxe.qp.responder.Responder", "duplicate", ResponderDefects.RepeatsWrite.class,
        "a duplicate WRITE is executed again and overwrites later data (R4)"),
    REPEATS_SEND("io.rxe.qp.responder.Responder", "duplicate", ResponderDefects.RepeatsSend.class,
        "a duplicate SEND consumes another receive request (R4)"),
    NAKS_DUPLICATES("io.rxe.qp.responder.Responder", "duplicate", ResponderDefects.NaksDuplicates.class,
        "a duplicate is answered with a PSN sequence NAK (R3)"),
    DROPS_DUPLICATES("io.rxe.qp.responder.DuplicateRequests", "onDuplicate", QueueDefects.DoesNothing.class,
        "duplicates are dropped without a response (R4 to R6)"),
    REPLAYS_WHOLE_READ("io.rxe.qp.responder.DuplicateRequests", "read", ResponderDefects.ReplaysWholeRead.class,
        "a READ retransmitted from its middle is answered from its first PSN (R5)"),
    ACKNOWLEDGES_EARLY("io.rxe.qp.responder.Responder", "gap", ResponderDefects.AcknowledgesEarly.class,
        "a request behind a gap is acknowledged before it is executed (R2)"),
    ACKNOWLEDGES_READS("io.rxe.qp.responder.Responder", "execute", ResponderDefects.AcknowledgesReads.class,
        "a plain acknowledgement carries the PSN of a READ (K1)"),
    FORGETS_MESSAGE_NUMBER("io.rxe.qp.responder.ResponseQueue", "nextMessage", ResponderDefects.ForgetsMessageNumber.class,
        "the MSN is not incremented (R15)"),
    LOSES_ACKNOWLEDGEMENT("io.rxe.qp.responder.ResponseQueue", "sendNext", ResponderDefects.LosesAcknowledgement.class,
        "an acknowledgement is lost when the sink is full (R18)"),
    KEEPS_RECEIVE("io.rxe.qp.context.ReceiveQueue", "take", QueueDefects.KeepsReceive.class,
        "a receive request serves two messages"),
    NEVER_REPORTS_GAPS("io.rxe.qp.context.NakDelay", "isDue", QueueDefects.SaysNo.class,
        "no gap in requests or responses is ever reported (R1, Q5)"),
    FORGETS_IMPLIED_NAK("io.rxe.qp.completer.Rack", "isDue", QueueDefects.DoesNothing.class,
        "a missing response is not requested again after an implied NAK (Q4, Q5)"),
    ACCEPTS_GHOSTS("io.rxe.qp.completer.Completer", "checkPsn", CompleterDefects.AcceptsGhosts.class,
        "an acknowledgement of a PSN that was never sent is accepted (P5)"),
    COMPLETES_BACKWARDS("io.rxe.qp.completer.Completer", "completeAcknowledged", CompleterDefects.CompletesBackwards.class,
        "requests acknowledged together complete in reverse order (Q14)"),
    BLAMES_OLDEST("io.rxe.qp.completer.Completer", "failInOrder", CompleterDefects.BlamesOldest.class,
        "a NAK fails the oldest request instead of the one it answers (Q9, Q14)"),
    FORGETS_TO_RELOAD("io.rxe.qp.completer.Completer", "advance", "reload",
        "forward progress does not reload the retry counters (T6)"),
    IGNORES_RNR_DELAY("io.rxe.qp.send.RetryState", "startRnrWait", QueueDefects.IgnoresRnrDelay.class,
        "a request is retransmitted before the RNR wait is over (T8)"),
    TIMER_NEVER_FIRES("io.rxe.qp.send.RetryState", "ackDeadlineNs", QueueDefects.NeverFires.class,
        "the transport timer never expires (T3)"),
    IGNORES_FENCE("io.rxe.verbs.WorkRequestFields", "isFence", QueueDefects.SaysNo.class,
        "a fenced request does not wait for READs"),
    COMPLETES_UNSIGNALED("io.rxe.verbs.WorkRequestFields", "isSignaled", QueueDefects.SaysYes.class,
        "unsignaled requests generate completions (Q14)"),
    EXCEEDS_READ_LIMIT("io.rxe.qp.requester.Requester", "hasReadAtomicPlace", QueueDefects.SaysYes.class,
        "READs and atomics are sent regardless of max_rd_atomic (Q11)"),
    FREES_PLACES_OUT_OF_ORDER("io.rxe.qp.send.SendState", "readAtomicInUse", QueueDefects.FreesPlacesOutOfOrder.class,
        "an answered READ frees its place of max_rd_atomic while an older READ is unanswered (Q11, R7)"),
    RESUMES_READ_AT_ITS_BEGINNING("io.rxe.qp.requester.RequestPacket", "writeExtensions",
        RequesterDefects.ResumesReadAtItsBeginning.class, "a resumed READ requests the address of its first byte (Q5)"),
    SKIPS_PSN_WHEN_FULL("io.rxe.qp.requester.Requester", "sendNew", RequesterDefects.SkipsPsnWhenFull.class,
        "the PSN advances although the sink was full (P2)"),
    COMPLETES_READ_EARLY("io.rxe.qp.send.ReadProgress", "received", QueueDefects.CompletesReadEarly.class,
        "the first response packet of a READ completes it"),
    FORGETS_FLUSH("io.rxe.qp.context.QueuePairQueues", "flush", QueueDefects.DoesNothing.class,
        "requests queued on a failed queue pair are not flushed (Q12)"),
    GIVES_A_CREDIT_TOO_MANY("io.rxe.qp.responder.CreditGrants", "available", ResponderDefects.GivesACreditTooMany.class,
        "an ACK gives a credit more than receive requests are posted (R19)"),
    IGNORES_CREDITS("io.rxe.qp.requester.Requester", "isOutOfCredits", QueueDefects.SaysNo.class,
        "messages are sent without credits (Q15)"),
    REPEATS_ATOMIC_WRITE("io.rxe.qp.responder.DuplicateRequests", "onDuplicate", ResponderDefects.RepeatsAtomicWrite.class,
        "a duplicate ATOMIC_WRITE is executed again and overwrites later data (R20)"),
    DROPS_FLUSH_REPLAY("io.rxe.qp.responder.DuplicateRequests", "atomic", ResponderDefects.DropsFlushReplay.class,
        "a duplicate ATOMIC_WRITE or FLUSH is dropped instead of answered again (R20, R21)"),
    FLUSH_OVERTAKES("io.rxe.qp.responder.Responder", "gap", ResponderDefects.FlushOvertakes.class,
        "a FLUSH behind a gap is answered before the WRITEs before it are executed (R21)"),
    MISCOUNTS_AT_WRAP("io.rxe.wire.Psn", "subtract", QueueDefects.MiscountsAtWrap.class,
        "a PSN difference across the wrap is one too large (P3)"),
    BELIEVES_EVERY_ICRC("io.rxe.device.PacketAdmission", "checkIcrc", EngineDefects.BelievesEveryIcrc.class,
        "the ICRC is not checked (R16)"),
    LEAKS_KEPT_REQUESTS("io.rxe.qp.responder.ReorderBuffer", "clear", QueueDefects.DoesNothing.class,
        "frames of requests kept behind a gap are not freed with their queue pair"),
    DOES_NOT_SPLIT_READS("io.rxe.qp.send.ReadProgress", "requestEnd", ScenarioDefects.DoesNotSplitReads.class,
        "a long READ is not split into several requests"),
    COUNTS_SPLIT_READ_ONCE("io.rxe.qp.send.ReadProgress", "placesInUse", ScenarioDefects.CountsSplitReadOnce.class,
        "a READ of several requests takes a single place of max_rd_atomic (Q11)"),
    REQUESTS_ACK_AT_END_ONLY("io.rxe.qp.requester.Requester", "isAckRequested", ScenarioDefects.RequestsAckAtEndOnly.class,
        "only the last packet of a message has AckReq"),
    IGNORES_SEND_WINDOW("io.rxe.qp.send.SendWindow", "allows", QueueDefects.SaysYes.class,
        "packets are sent beyond the send window"),
    DRAWS_NUMBER_OF_OTHER_ENGINE("io.rxe.device.QueuePairTable", "draw", ScenarioDefects.DrawsNumberOfOtherEngine.class,
        "the number of a queue pair steers its packets to another engine"),
    COUNTS_FIRST_ENGINE_ONLY("io.rxe.device.Nic", "counter", ScenarioDefects.CountsFirstEngineOnly.class,
        "the counters of a NIC are those of its first engine"),
    POLLS_ONE_RING("io.rxe.device.NicCompletionQueue", "poll", ScenarioDefects.PollsOneRing.class,
        "completions of all engines but one stay in a completion queue"),
    ACCEPTS_ANY_SOURCE("io.rxe.device.PacketAdmission", "checkAddresses", ScenarioDefects.AcceptsAnySource.class,
        "packets from an address that is not the peer's are accepted (R16)"),
    REPLAYS_BEYOND_READ("io.rxe.qp.responder.ResponderResource", "covers", QueueDefects.SaysYes.class,
        "the duplicate of a READ may ask for more than the original did (R5)"),
    RESPONDS_AFTER_RESET("io.rxe.qp.responder.ResponseQueue", "clear", QueueDefects.DoesNothing.class,
        "responses that are due when a queue pair is closed or reset are still sent"),
    WRITES_TO_DEREGISTERED_MEMORY("io.rxe.qp.responder.InboundMessage", "checkKey", ScenarioDefects.WritesToDeregisteredMemory.class,
        "a WRITE continues in memory that was deregistered after its first packet (R10)"),
    REQUESTS_LATER_GAP_FIRST("io.rxe.qp.send.ReadProgress", "firstRequestable", ScenarioDefects.RequestsLaterGapFirst.class,
        "a later gap of a READ is requested before an earlier one, which rdma_rxe has forgotten then (R5)"),
    KEEPS_REVOKED_KEYS("io.rxe.memory.Region", "isRevoked", QueueDefects.SaysNo.class,
        "an engine goes on using a key that it remembers after the key was invalidated (W4, W7)"),
    KEEPS_KEY_OF_SEND("io.rxe.qp.responder.InboundMessage", "invalidate", QueueDefects.DoesNothing.class,
        "a SEND with invalidate leaves the key in force (W5)"),
    IGNORES_OWNER_BITS("io.rxe.memory.KeyTable", "find", ScenarioDefects.IgnoresOwnerBits.class,
        "a key is found by its index alone (W7)"),
    SERVES_WINDOW_OF_OTHER("io.rxe.memory.Region", "serves", QueueDefects.SaysYes.class,
        "any queue pair serves a window of type 2B (W2)"),
    BINDS_WHOLE_REGION("io.rxe.memory.Region", "window", ScenarioDefects.ShiftsWindow.class,
        "a zero-based window begins at the first byte of its region (W2)"),
    BELIEVES_KEPT_REQUESTS("io.rxe.qp.responder.NakReason", "isOfRequest", QueueDefects.SaysNo.class,
        "a bad request that was kept behind a gap, where it is easily forged, ends the connection (R3)"),
    DISTRUSTS_RETRANSMISSIONS("io.rxe.qp.responder.RequestDigests", "contradict", ResponderDefects.DistrustsRetransmissions.class,
        "the retransmission of a kept request is taken for a forgery when its AckReq differs (R1)"),
    WINDOW_OUTLIVES_REGION("io.rxe.memory.Region", "isRevoked", ScenarioDefects.OutlivesRegion.class,
        "a window goes on granting access after its region was deregistered (W8)"),
    COMPLETES_BINDING_LATE("io.rxe.qp.completer.Completer", "poll", ScenarioDefects.WaitsForAcknowledgement.class,
        "a request that sends no packet completes with the next response only (W3)"),
    ANSWERS_ON_THE_OLD_PATH("io.rxe.qp.context.OutboundPacket", "claim", ScenarioDefects.AnswersOnTheOldPath.class,
        "a migrated queue pair answers on the old path (M1)"),
    MIGRATES_WITHOUT_A_WORD("io.rxe.qp.context.PathMigration", "isRequesting", QueueDefects.SaysNo.class,
        "a migrated queue pair sends MigReq 0 (M1)"),
    XRC_USES_FIRST_QUEUE("io.rxe.qp.context.XrcReceiveQueues", "find", ScenarioDefects.FindsFirstQueue.class,
        "a SEND goes to the first shared receive queue of the XRC domain instead of the one its XRCETH names (X2)"),
    XRC_ACCEPTS_ANY_NUMBER("io.rxe.qp.context.XrcReceiveQueues", "find", ScenarioDefects.FindsQueueForAnyNumber.class,
        "a number that the XRC domain does not have stands for one of its queues (X2)"),
    XRC_COMPLETES_ELSEWHERE("io.rxe.qp.context.QueuePairQueues", "receiveFrom", ScenarioDefects.KeepsCompletionQueue.class,
        "the completion goes to the completion queue of the target's first message (X3)"),
    XRC_KEEPS_DOMAIN("io.rxe.qp.context.QueuePairContext", "receiveFrom", ScenarioDefects.KeepsDomain.class,
        "requests use the memory of the protection domain that the first one named (X4)"),
    XRC_READ_CHANGES_DOMAIN("io.rxe.qp.context.QueuePairContext", "remoteIn", ScenarioDefects.ReadsInLatestDomain.class,
        "a READ goes on in the protection domain of the latest request (X4)"),
    XRC_FORGETS_NUMBER("io.rxe.wire.XrcEth", "write", ScenarioDefects.WritesNoNumber.class,
        "the XRCETH of a request names no queue (X2)"),
    XRC_REPEATS_ATOMIC_WRITE("io.rxe.qp.responder.DuplicateRequests", "onDuplicate", ResponderDefects.RepeatsXrcAtomicWrite.class,
        "a duplicate ATOMIC_WRITE over XRC is executed again and overwrites later data (X5, R20)"),
    XRC_FLUSH_OVERTAKES("io.rxe.qp.responder.Responder", "gap", ResponderDefects.XrcFlushOvertakes.class,
        "a FLUSH over XRC that lies behind a gap is answered before the WRITEs before it are executed (X5, R21)"),
    ASKS_IN_TRAFFIC("io.rxe.qp.send.SendState", "mayAsk", QueueDefects.SaysYes.class,
        "a keep-alive is sent while requests are outstanding (T11)"),
    FORGETS_ANSWERS("io.rxe.qp.send.KeepAlive", "onAnswer", "rest",
        "a peer that answers its keep-alives counts as gone (T11)"),
    OBEYS_CREDITS_OF_NOBODY("io.rxe.qp.completer.CreditUpdates", "start", CompleterDefects.BelievesInCredits.class,
        "messages wait for the credits of a peer that gives none (Q15)");

    /** Defects that few seeds of other fault profiles reveal. */
    private static final Map<Defect, SimulationOptions.FaultProfile> PROFILES = Map.of(
        LOSES_ACKNOWLEDGEMENT, SimulationOptions.FaultProfile.LOSSLESS,
        FORGETS_IMPLIED_NAK, SimulationOptions.FaultProfile.LOSS,
        REQUESTS_LATER_GAP_FIRST, SimulationOptions.FaultProfile.LOSS);
    /** Defects that show only in scenarios with a feature. */
    private static final Map<Defect, Feature> FEATURES = new EnumMap<>(Defect.class);

    static {
        for (Defect defect : List.of(DOES_NOT_SPLIT_READS, COUNTS_SPLIT_READ_ONCE, REQUESTS_ACK_AT_END_ONLY, IGNORES_SEND_WINDOW)) {
            FEATURES.put(defect, Feature.LONG_MESSAGES);
        }
        for (Defect defect : List.of(REPEATS_ATOMIC_WRITE, DROPS_FLUSH_REPLAY, FLUSH_OVERTAKES)) {
            FEATURES.put(defect, Feature.PLACEMENT);
        }
        FEATURES.put(ANSWERS_ON_THE_OLD_PATH, Feature.PATHS);
        FEATURES.put(MIGRATES_WITHOUT_A_WORD, Feature.PATHS);
        FEATURES.put(ASKS_IN_TRAFFIC, Feature.KEEP_ALIVE);
        FEATURES.put(FORGETS_ANSWERS, Feature.KEEP_ALIVE);
        FEATURES.put(OBEYS_CREDITS_OF_NOBODY, Feature.CREDIT_BIT);
        FEATURES.put(FORGETS_IMPLIED_NAK, Feature.LONG_MESSAGES);
        FEATURES.put(DRAWS_NUMBER_OF_OTHER_ENGINE, Feature.SEVERAL_ENGINES);
        FEATURES.put(COUNTS_FIRST_ENGINE_ONLY, Feature.SEVERAL_ENGINES);
        FEATURES.put(POLLS_ONE_RING, Feature.SEVERAL_ENGINES);
        FEATURES.put(ACCEPTS_ANY_SOURCE, Feature.THIRD_PARTY);
        FEATURES.put(REPLAYS_BEYOND_READ, Feature.THIRD_PARTY);
        FEATURES.put(BELIEVES_KEPT_REQUESTS, Feature.THIRD_PARTY);
        FEATURES.put(RESPONDS_AFTER_RESET, Feature.DISRUPTIONS);
        FEATURES.put(WRITES_TO_DEREGISTERED_MEMORY, Feature.DISRUPTIONS);
        FEATURES.put(REQUESTS_LATER_GAP_FIRST, Feature.RXE_PEERS);
        for (Defect defect : List.of(XRC_USES_FIRST_QUEUE, XRC_ACCEPTS_ANY_NUMBER, XRC_COMPLETES_ELSEWHERE, XRC_KEEPS_DOMAIN,
            XRC_READ_CHANGES_DOMAIN, XRC_FORGETS_NUMBER)) {
            FEATURES.put(defect, Feature.XRC);
        }
        for (Defect defect : List.of(KEEPS_REVOKED_KEYS, KEEPS_KEY_OF_SEND, IGNORES_OWNER_BITS,
            SERVES_WINDOW_OF_OTHER, BINDS_WHOLE_REGION, WINDOW_OUTLIVES_REGION, COMPLETES_BINDING_LATE)) {
            FEATURES.put(defect, Feature.WINDOWS);
        }
    }

    final String className;
    final String methodName;
    /** Advice for the method, or null. */
    final Class<?> advice;
    /** Name of a method whose calls are removed from the method, or null. */
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

    /** Name of the fault profile to run, or null for the profile of each seed. */
    String faultProfile() {
        SimulationOptions.FaultProfile faultProfile = PROFILES.get(this);
        return faultProfile == null ? null : faultProfile.name();
    }

    /** Names of the features of the runs, with a comma between them, or null. */
    String features() {
        if (this == XRC_REPEATS_ATOMIC_WRITE || this == XRC_FLUSH_OVERTAKES) {
            return Feature.XRC + "," + Feature.PLACEMENT;
        }
        Feature feature = FEATURES.get(this);
        return feature == null ? null : feature.name();
    }
}
