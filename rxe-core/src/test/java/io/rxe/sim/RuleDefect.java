package io.rxe.sim;

import io.rxe.device.UnreliableTransportTest;
import io.rxe.qp.CongestionNotificationTest;
import io.rxe.qp.DrainedChangeTest;
import io.rxe.qp.DuplicateRequestTest;
import io.rxe.qp.GapReportRulesTest;
import io.rxe.qp.KeptRequestsTest;
import io.rxe.qp.LossRulesTest;
import io.rxe.qp.QueueDefects;
import io.rxe.qp.ReadRateTest;
import io.rxe.qp.SendTimeRulesTest;
import io.rxe.qp.TimerRulesTest;
import io.rxe.qp.completer.CompleterDefects;
import io.rxe.qp.completer.ReorderWindowTest;
import io.rxe.qp.congestion.DcqcnControlTest;
import io.rxe.qp.congestion.DelayControlTest;
import io.rxe.qp.context.FramePoolTest;
import io.rxe.qp.responder.ResponderDefects;
import io.rxe.qp.send.PeerSendWindowTest;
import io.rxe.qp.send.PeersTest;
import io.rxe.qp.send.SendDefects;
import io.rxe.qp.send.SendSideTest;

/**
 * Defects that a packet trace, or a test of a state machine alone, has to notice: each is one method with advice woven in, and the test
 * that must fail.
 */
enum RuleDefect {
    BELIEVES_THE_FIRST_OF_TWO("io.rxe.qp.responder.ReorderBuffer", "isSame", QueueDefects.SaysYes.class, null, KeptRequestsTest.class,
        "neitherOfTwoRequestsIsBelieved", "of two requests with one PSN the first is executed (R1)"),
    KEEPS_FRAMES_FOR_EVER("io.rxe.qp.responder.KeptRequests", "dropAll", QueueDefects.DoesNothing.class, null, KeptRequestsTest.class,
        "keptRequestsExpire", "requests behind a gap that never closes keep their frames (R1)"),
    GIVES_THE_WHOLE_POOL_TO_ONE("io.rxe.qp.context.FramePool", "acquire", null, "inUse", FramePoolTest.class, "sharesAreBounded",
        "one queue pair may hold more than its share of the pool (R1)"),
    CHANGES_BEFORE_THE_DRAIN("io.rxe.qp.QueuePairTransition", "checkDrained", QueueDefects.DoesNothing.class, null, DrainedChangeTest.class,
        "nothingChangesBeforeTheDrain", "max_rd_atomic changes in SQD before the drain (Q11, Q13)"),
    TAKES_A_REPETITION_FOR_A_COPY("io.rxe.qp.responder.ResponseQueue", "hasPassed", QueueDefects.SaysNo.class, null,
        DuplicateRequestTest.class, "aReadRepeatedAfterAnImpliedNakIsAnswered",
        "a READ that a kernel repeats after an implied NAK is not answered (R5)"),
    ENDS_WITH_A_LONG_DATAGRAM("io.rxe.qp.responder.DatagramResponder", "onRequest", ResponderDefects.EndsWithALongDatagram.class, null,
        UnreliableTransportTest.class, "udDropsADatagramThatDoesNotFit", "a datagram that does not fit ends its queue pair (S1)"),
    REPORTS_TO_EVERYBODY("io.rxe.qp.responder.GapReports", "isKnown", QueueDefects.SaysYes.class, null, GapReportRulesTest.class,
        "anUnknownPeerGetsNothing", "a peer without the mark gets no NAK for a gap (G1, K13)"),
    NEVER_REVOKES("io.rxe.qp.responder.GapReports", "onDiscarded", QueueDefects.DoesNothing.class, null, GapReportRulesTest.class,
        "aConflictIsRevoked", "kept requests that were reported as arrived are dropped in silence (G3)"),
    REPLAYS_LAST("io.rxe.qp.responder.ResponseQueue", "isReplayNext", QueueDefects.SaysNo.class, null, DuplicateRequestTest.class,
        "missingPartsLeaveInOrder", "what a known peer misses waits for READs that have not begun (R5)"),
    DROPS_WHAT_IS_MISSING("io.rxe.qp.responder.ResponseQueue", "isReplayed", QueueDefects.SaysYes.class, null, DuplicateRequestTest.class,
        "onlyWhatHasYetToLeaveIsNotAnswered", "a known peer that requests a part again gets no response (R5)"),
    ANSWERS_EACH_COPY("io.rxe.wire.Bth", "isRepeated", QueueDefects.SaysNo.class, null, DuplicateRequestTest.class,
        "aRepeatedReadIsAnsweredOnce", "a READ request that is sent several times gets its responses as often (G7)"),
    NEVER_OPENS("io.rxe.qp.congestion.DelayControl", "onFilled", QueueDefects.DoesNothing.class, null, DelayControlTest.class, "itOpens",
        "the window never opens"),
    NEVER_STOPS_DOUBLING("io.rxe.qp.congestion.DelayTarget", "ns", QueueDefects.NeverFires.class, null,
        DelayControlTest.class, "itStaysAtTheLimit", "no queue is too long: the window doubles for ever"),
    IGNORES_DELAY("io.rxe.qp.congestion.DelayControl", "followDelay", QueueDefects.DoesNothing.class, null, DelayControlTest.class,
        "delayCutsIt", "a queue that stays does not cut the window"),
    TAKES_JITTER_FOR_A_QUEUE("io.rxe.qp.congestion.RoundTrip", "onSample", SendDefects.TakesAnySample.class, null,
        DelayControlTest.class, "jitterIsNoQueue", "round trips that vary close the window"),
    TAKES_GAPS_FOR_A_QUEUE("io.rxe.qp.congestion.DelayControl", "onSample", SendDefects.BelievesBounds.class, null,
        DelayControlTest.class, "boundsDoNotCutIt", "READ responses that waited behind a gap close the window"),
    TAKES_HOSTS_FOR_A_QUEUE("io.rxe.qp.congestion.DelayControl", "onSample", SendDefects.ForgetsHosts.class, null, DelayControlTest.class,
        "hostsAreNoQueue", "busy hosts close the window (G8)"),
    TELLS_NO_HOST_DELAY("io.rxe.wire.FiveBitCode", "of", QueueDefects.DoesNothing.class, null, GapReportRulesTest.class,
        "responsesTellTheHostDelay", "a host that was busy does not tell its peer (G8)"),
    PACES_NO_RESPONSES("io.rxe.qp.congestion.ResponsePacer", "isOpen", QueueDefects.SaysYes.class, null, ReadRateTest.class,
        "responsesArePaced", "READ responses leave in one burst, whatever rate their request told (G9)"),
    PACES_RESPONSES_FOR_EVER("io.rxe.qp.responder.Responder", "responsePaceDeadlineNs", QueueDefects.NeverFires.class, null,
        ReadRateTest.class, "responsesArePaced", "responses that wait for their time never leave (G9)"),
    TELLS_NO_RATE("io.rxe.qp.send.SendWindow", "readRate", QueueDefects.DoesNothing.class, null, ReadRateTest.class,
        "requestsTellTheRate", "a READ request does not tell how fast its responses may leave (G9)"),
    NEVER_BACKS_OFF("io.rxe.qp.send.RetryState", "backOff", QueueDefects.DoesNothing.class, null, TimerRulesTest.class,
        "queuesFullOfOthersDelayTheTimer", "queue pairs behind a full queue all retransmit at the same time (T3)"),
    IGNORES_LOSS("io.rxe.qp.congestion.DelayControl", "onLost", QueueDefects.DoesNothing.class, null, DelayControlTest.class,
        "manyLossesCutIt", "a queue that overflows does not cut the window"),
    DREADS_LOSSES("io.rxe.qp.congestion.DelayControl", "onLost", SendDefects.DreadsLosses.class, null, DelayControlTest.class,
        "fewLossesDoNotCutIt", "a path that loses few packets has its window cut"),
    NEVER_RECOVERS("io.rxe.qp.congestion.DcqcnControl", "increase", QueueDefects.DoesNothing.class, null, DcqcnControlTest.class,
        "theRateRecovers", "a rate that never recovers: no increase follows a cut"),
    CUTS_FOR_EVER("io.rxe.qp.congestion.DcqcnControl", "updateAlpha", QueueDefects.DoesNothing.class, null, DcqcnControlTest.class,
        "alphaFollowsNotifications", "each CNP halves the rate, however rare they are"),
    SHARES_A_CONTROLLER("io.rxe.qp.context.QueuePairContext", "congestion", SendDefects.ChoosesNothing.class, null,
        CongestionNotificationTest.class, "aNotificationReachesTheChosenController", "all queue pairs have the controller of the NIC"),
    NEVER_DRAINS("io.rxe.qp.congestion.DelayControl", "endDrain", QueueDefects.DoesNothing.class, null, DelayControlTest.class,
        "theQueueOfOthersIsNoPath", "a window that was closed to see the path stays closed"),
    YIELDS_FOR_EVER("io.rxe.qp.congestion.DelayControl", "compete", QueueDefects.DoesNothing.class, null, DelayControlTest.class,
        "itCompetes", "a sender beside TCP never gets its share"),
    TELLS_NO_TIME("io.rxe.qp.requester.RequestPacket", "sendTime", QueueDefects.DoesNothing.class, null, SendTimeRulesTest.class,
        "requestsTellWhenTheyLeave", "a request does not tell when it leaves (G10)"),
    TELLS_NO_TIME_BACK("io.rxe.qp.responder.ResponsePacket", "isTimed", QueueDefects.DoesNothing.class, null, SendTimeRulesTest.class,
        "responsesTellWhenTheyLeave", "no READ response tells when it leaves (G10)"),
    MIXES_DIRECTIONS("io.rxe.qp.send.PeerShares", "of", SendDefects.MixesDirections.class, null, PeersTest.class, "eachDirectionHasAWindow",
        "READs have no window of their own"),
    TELLS_NO_WAIT("io.rxe.qp.responder.ReadRequests", "waitedNs", QueueDefects.DoesNothing.class, null, SendTimeRulesTest.class,
        "responsesTellHowLongTheirRequestWaited", "a READ response does not tell how long its request waited (G10)"),
    FORGETS_THE_WAY_BACK("io.rxe.qp.congestion.ArrivalWait", "onArrived", QueueDefects.DoesNothing.class, null, SendTimeRulesTest.class,
        "onlyTheNextRequestOfAKnownPeerCounts", "what acknowledgements wait behind data of the peer passes for a queue here (G10)"),
    NEVER_PACES("io.rxe.qp.congestion.Pacer", "isOpen", QueueDefects.SaysYes.class, null, PeerSendWindowTest.class, "batchesAreSpaced",
        "nothing is paced"),
    PACES_FOR_EVER("io.rxe.qp.send.PeerSendWindow$Share", "deadlineNs", QueueDefects.NeverFires.class, null, PeerSendWindowTest.class,
        "theNextBatchHasADeadline", "a rate that never recovers: no batch follows the first"),
    PACES_ANSWERS("io.rxe.qp.RcQueuePair", "pollTasks", QueueDefects.PacesAnswers.class, null, CongestionNotificationTest.class,
        "answersAreNotPaced", "pacing that starves an ACK: what answers the peer waits for the next batch"),
    ANSWERS_EACH_MARK("io.rxe.qp.NotificationPoint", "onMarked", QueueDefects.AnswersEachMark.class, null,
        CongestionNotificationTest.class, "notificationsAreRare", "marks are answered with more than a CNP in 50 us"),
    CUTS_TWICE("io.rxe.qp.congestion.DelayControl", "onNotified", SendDefects.CutsTwice.class, null, DelayControlTest.class,
        "notificationsCutIt", "a CNP that is answered twice: two in one round trip cut the window twice"),
    MIXES_CLASSES("io.rxe.port.Flow", "withTrafficClass", SendDefects.MixesClasses.class, null, CongestionNotificationTest.class,
        "eachQueuePairKeepsItsClass", "one class takes the DSCP of another on the same path"),
    NEVER_LEARNS_A_PATH_ANEW("io.rxe.qp.congestion.WindowedMinimum", "start", QueueDefects.DoesNothing.class, null,
        DelayControlTest.class, "aLongerPathIsLearned", "a path that became longer looks like a queue for ever"),
    REMEMBERS_THE_SHORTEST_FOR_EVER("io.rxe.qp.congestion.WindowedMinimum", "onSample", SendDefects.NeverForgets.class, null,
        SendSideTest.class, "roundTrips", "the least round trip is never forgotten (T1)"),
    NEVER_SHRINKS_FOR_GO_BACK_N("io.rxe.qp.send.SendWindow", "shrink", QueueDefects.DoesNothing.class, null, SendSideTest.class,
        "lossesShrinkTheWindowOfAGoBackNPeer", "losses do not shrink the window of a go-back-N peer (Q7)"),
    ASKS_FOR_MORE_THAN_THE_WINDOW("io.rxe.qp.send.ReadRequestSize", "packets", SendDefects.IgnoresTheWindow.class, null,
        SendSideTest.class, "readRequestsFollowTheWindow", "READ requests ask for more than the window (Q11)"),
    IGNORES_THE_ROOM("io.rxe.qp.send.SendWindow", "onRoom", QueueDefects.DoesNothing.class, null, LossRulesTest.class, "theRoomIsKept",
        "a peer with a gap gets more than it can keep (G2)"),
    WRITES_OFF_TWICE("io.rxe.qp.send.PeerSendWindow$Share", "synchronize", QueueDefects.DoesNothing.class, null, PeerSendWindowTest.class,
        "oneSilenceWritesOffOnce", "bytes that were written off are subtracted again"),
    WAITS_FOR_THE_DEAD("io.rxe.qp.send.PeerAnswers", "isPassedOver", QueueDefects.SaysNo.class, null, PeerSendWindowTest.class,
        "aDeadQueuePairBlocksNoOther", "what a dead queue pair has sent keeps its room"),
    NEVER_GIVES_UP("io.rxe.qp.send.Neglect", "isGivenUp", QueueDefects.SaysNo.class, null, PeerSendWindowTest.class,
        "oneThatIsIgnoredSendsOneAtATime", "what a dead queue pair sends takes room again and again"),
    KEEPS_ITS_GRANT("io.rxe.qp.send.PeerSendWindow$Share", "returnGrant", QueueDefects.DoesNothing.class, null, PeerSendWindowTest.class,
        "anUnusedTurnIsPassedOn", "a grant that is not used up never comes back"),
    LEAVES_WITH_ITS_GRANT("io.rxe.qp.send.PeerSendWindow$Share", "giveBack", null, "useGrant", PeerSendWindowTest.class,
        "leavingGivesTheGrantBack", "what a queue pair was granted stays claimed when it leaves"),
    NEVER_ADAPTS("io.rxe.qp.completer.ReorderWindow", "remember", QueueDefects.DoesNothing.class, null, ReorderWindowTest.class,
        "latenessOpensIt", "the reorder window never adapts (G4)"),
    REMEMBERS_LATENESS_FOR_EVER("io.rxe.qp.completer.ReorderWindow", "onLoss", QueueDefects.DoesNothing.class, null,
        ReorderWindowTest.class, "latenessIsForgotten", "the reorder window never closes again (G4)"),
    REPEATS_NEEDLESS_RETRANSMISSIONS("io.rxe.qp.completer.LossDetector", "onDuplicates", QueueDefects.DoesNothing.class, null,
        LossRulesTest.class, "theReorderWindowAdapts", "a needless retransmission does not open the reorder window (G4)"),
    TAKES_PROBES_FOR_DISORDER("io.rxe.qp.completer.LossDetector", "areOfProbes", QueueDefects.SaysNo.class, null, LossRulesTest.class,
        "aProbeIsNoSignOfDisorder", "a needless probe opens the reorder window (G4)"),
    SHORTENS_GAPS("io.rxe.qp.completer.LossDetector", "onReported", CompleterDefects.ShortensGaps.class, null, LossRulesTest.class,
        "everyGapIsRepairedAtOnce", "the last packet of a gap counts as arrived: a gap list off by one (G2, G4)"),
    LENGTHENS_GAPS("io.rxe.wire.GapReport", "writeGap", ResponderDefects.LengthensGaps.class, null, GapReportRulesTest.class,
        "allGapsAreReported", "a report says of each gap that it is a packet longer (G2)"),
    TRUSTS_REPAIRS("io.rxe.qp.completer.Rack", "judge", CompleterDefects.TrustsRepairs.class, null, LossRulesTest.class,
        "aLostRepairIsOvertakenToo", "a repair that is lost waits for a timer (G4)"),
    TAKES_NO_PATH_FOR_SHORTER("io.rxe.qp.send.RttEstimator", "onSooner", QueueDefects.SaysNo.class, null, LossRulesTest.class,
        "aSecondSoonAnswerShowsAShorterPath", "the round trip of a queue that is gone keeps losses hidden (G4)"),
    TESTS_NOTHING("io.rxe.qp.completer.Rack", "beginFirstLoss", QueueDefects.DoesNothing.class, null, LossRulesTest.class,
        "theFirstLossIsATest", "the first loss has all retransmitted that was overtaken (G4)"),
    TAKES_ALL_FOR_OVERTAKEN("io.rxe.qp.completer.Rack$Latest", "isLater", QueueDefects.SaysYes.class, null, LossRulesTest.class,
        "whatNothingOvertookIsNotLost", "packets count as lost that nothing overtook (G4)"),
    NEVER_PROBES("io.rxe.qp.completer.LossDetector", "probeDeadlineNs", QueueDefects.NeverFires.class, null, LossRulesTest.class,
        "theTailIsProbed", "the loss of the last packet waits for the timer"),
    MEASURES_RETRANSMISSIONS("io.rxe.qp.send.SentPackets", "wasRetransmitted", QueueDefects.SaysNo.class, null, LossRulesTest.class,
        "aRetransmissionIsNoSample", "the acknowledgement of a retransmission counts as a round trip (G4)"),
    REQUESTS_KEPT_READS("io.rxe.qp.send.SentPackets", "keep", QueueDefects.DoesNothing.class, null, LossRulesTest.class,
        "aKeptReadIsNotRequestedAgain", "a READ that the peer keeps behind a gap is requested again (G4)"),
    NEVER_CHARGES("io.rxe.qp.completer.LossDetector", "charge", QueueDefects.SaysYes.class, null, LossRulesTest.class,
        "lossesOfTheOldestAreCharged", "a packet that is lost for ever does not fail its queue pair (G5)"),
    BELIEVES_REVOKED_REPORTS("io.rxe.qp.completer.LossRecovery", "restart", null, "forgetArrived", LossRulesTest.class,
        "aNakRevokesReports", "a PSN sequence NAK does not revoke what was reported as arrived (G6)");

    final PlantedTest test;
    final String sentence;

    RuleDefect(String className, String methodName, Class<?> advice, String omitted, Class<?> test, String testMethod, String sentence) {
        this.test = new PlantedTest(test, testMethod, className, methodName, advice, omitted);
        this.sentence = sentence;
    }
}
