package io.rxe.cm;

import io.rxe.cm.exchange.CmDefects;
import io.rxe.qp.QueueDefects;

/** Defects a test of connection management has to notice: each is one method with advice woven in, and the test that must fail. */
enum CmDefect {
    KEEPS_CANCELLED_REQUESTS("PassiveSide", "remove", "onRej", ExhaustionTest.class, "cancelledRequestsAreForgottenAtOnce",
        "a REQ that was cancelled keeps its exchange"),
    BELIEVES_ACK_TIMEOUTS("CmTimes", "limitedAckTimeoutCode", CmDefects.ReturnsItsArgument.class, ExhaustionTest.class,
        "halfOpenConnectionsEnd", "the transport timer of a REQ is not limited"),
    BELIEVES_RESPONSE_TIMEOUTS("CmTimes", "limitedResponseCode", CmDefects.ReturnsItsArgument.class, ExhaustionTest.class,
        "theReplyIsNotRetransmittedAtOnce", "the CM response timeout of a REQ is not limited"),
    WAITS_WITHOUT_LIMIT("CmRetry", "untilLimit", CmDefects.ReturnsItsDeadline.class, ExhaustionTest.class, "disconnectEnds",
        "a DREQ is retransmitted as long as the peer's times and retries say"),
    POSTPONES_AGAIN_AND_AGAIN("CmRetry", "mayPostpone", QueueDefects.SaysYes.class, ExhaustionTest.class, "mrasDoNotHoldAConnectForEver",
        "each MRA postpones the deadline, however many there are"),
    GRANTS_EVERY_SHARE("PeerAdmission$Holding", "isBelow", QueueDefects.SaysYes.class, ExhaustionTest.class, "oneSourceHoldsAShare",
        "one address may begin any number of exchanges"),
    GIVES_LISTENERS_EVERY_REQUEST("RequestRate", "takeRequest", QueueDefects.SaysYes.class, ExhaustionTest.class,
        "unconfirmedRequestsAreLimitedInRate", "requests nobody confirms are not limited in rate"),
    FORGETS_CONFIRMATIONS("RequestRate", "onConfirmed", QueueDefects.DoesNothing.class, ExhaustionTest.class,
        "confirmedRequestsAreNotLimited", "a connection that is established uses up the rate"),
    NEVER_EVICTS("PeerAdmission", "evictOldest", QueueDefects.SaysNo.class, ExhaustionTest.class, "anHonestPeerConnectsThroughAFlood",
        "a request is refused while old ones are not confirmed"),
    FORGETS_TO_COUNT_DECISIONS("PeerAdmission", "onDecided", QueueDefects.DoesNothing.class, ExhaustionTest.class,
        "sidrRequestsAreBounded", "an answered SIDR request cannot be evicted"),
    SENDS_WHERE_THE_REQ_SAYS("ReqHandler", "isForItsSource", QueueDefects.SaysYes.class, ReflectionTest.class, "reqMustNameItsSource",
        "a REQ names a third party as its queue pair's address"),
    REPLIES_TO_GROUPS("CmCore", "onMad", CmDefects.TakesGroupsForHosts.class, ReflectionTest.class, "noReplyToAGroup",
        "a MAD from a multicast group is answered"),
    BELIEVES_THE_IDS_OF_CONNECTIONS("ConnectionExchange", "hasIds", QueueDefects.SaysYes.class, ForgeryTest.class,
        "rejOfAnEstablishedConnection", "a message needs no ID but ours"),
    BELIEVES_FORGERIES_BETWEEN_FAULTS("ConnectionExchange", "hasIds", QueueDefects.SaysYes.class, RandomFaultTest.class,
        "everyConnectionIsEstablishedOnBothSidesOrFailsOnBoth", "a forged message changes a connection"),
    BELIEVES_THE_IDS_OF_SERVICES("SidrRequester", "hasIds", QueueDefects.SaysYes.class, ForgeryTest.class, "sidrRepOfAnAttacker",
        "a SIDR_REP needs no transaction ID"),
    COUNTS_COMMUNICATION_IDS("ExchangeTable", "drawId", CmDefects.CountsUp.class, ForgeryTest.class, "idsCannotBePredicted",
        "communication IDs count up"),
    REPEATS_TRANSACTION_IDS("ExchangeContext", "newTransaction", CmDefects.AlwaysTheSame.class, ForgeryTest.class,
        "idsCannotBePredicted", "all messages have one transaction ID");

    final String className;
    final String methodName;
    /** Woven into the method, or null. */
    final Class<?> advice;
    /** Name of a method whose calls in there are left out, or null. */
    final String omitted;
    final Class<?> test;
    final String testMethod;
    final String sentence;

    CmDefect(String simpleName, String methodName, Class<?> advice, Class<?> test, String testMethod, String sentence) {
        this.className = "io.rxe.cm.exchange." + simpleName;
        this.methodName = methodName;
        this.advice = advice;
        this.omitted = null;
        this.test = test;
        this.testMethod = testMethod;
        this.sentence = sentence;
    }

    CmDefect(String simpleName, String omitted, String methodName, Class<?> test, String testMethod, String sentence) {
        this.className = "io.rxe.cm.exchange." + simpleName;
        this.methodName = methodName;
        this.advice = null;
        this.omitted = omitted;
        this.test = test;
        this.testMethod = testMethod;
        this.sentence = sentence;
    }
}
