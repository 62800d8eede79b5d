package io.rxe.net.fault;

import io.rxe.fault.ConnectionFault;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Parses the faults of {@link VerbsFaultSpec}.
 *
 * <pre>
 *   spec  := rule {";" rule}          rule  := point ":" fault {"," fault}
 *   fault := what ["reason" N | "status" ERRNO] [when] ["qp" N]
 *   when  := "nth" N | "every" N | P"%" | "after" (TIME | SIZE)
 * </pre>
 */
final class VerbsFaultParser {
    private static final int MAX_REASON = 33;
    private static final int CONSUMER = 28;
    private static final int MAX_NUMBER = 0xFF_FFFF;
    private static final String POINTS = "poll_cq, async, qp, device, cm, or a verb: "
        + Arrays.stream(Verb.values()).map(Verb::word).collect(Collectors.joining(", "));

    private final String text;

    VerbsFaultParser(String text) {
        this.text = text;
    }

    List<VerbsRule> read() {
        List<VerbsRule> rules = new ArrayList<>();
        for (String rule : text.split(";")) {
            if (!rule.isBlank()) {
                readRule(rule.strip(), rules);
            }
        }
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("no fault is given: write for example poll_cq: status=RETRY_EXC_ERR nth 1000");
        }
        return rules;
    }

    private void readRule(String rule, List<VerbsRule> rules) {
        int colon = rule.indexOf(':');
        if (colon < 0) {
            throw refused("'" + rule + "' names no place: begin with one of " + POINTS + ", and a colon");
        }
        String point = rule.substring(0, colon).strip().toLowerCase(Locale.ROOT);
        for (String fault : rule.substring(colon + 1).split(",", -1)) {
            rules.add(readFault(point, new FaultWords("verbs fault '" + text + "'", fault)));
        }
    }

    private VerbsRule readFault(String point, FaultWords words) {
        String what = words.next("what happens at " + point);
        Parts parts = new Parts(point, words);
        switch (point) {
            case "async" -> {
                parts.timed = TimedFault.Kind.EVENT;
                parts.event = words.constant(what, "asynchronous event", AsyncEvent.Type.values(), Enum::name);
                parts.words = "async: " + parts.event;
            }
            case "device" -> {
                requireWord(words, what, "FATAL", point);
                parts.timed = TimedFault.Kind.EVENT;
                parts.event = AsyncEvent.Type.DEVICE_FATAL;
                parts.words = "device: FATAL";
            }
            case "qp" -> {
                requireWord(words, what, "ERR", point);
                parts.words = "qp: ERR";
                parts.timed = TimedFault.Kind.QUEUE_PAIR_ERROR;
            }
            case "cm" -> readConnection(words, what, parts);
            default -> readCall(words, what, parts);
        }
        parts.readRest();
        return parts.rule();
    }

    private static void requireWord(FaultWords words, String word, String wanted, String point) {
        if (!word.equalsIgnoreCase(wanted)) {
            throw words.refused("'" + word + "' cannot happen at " + point + ": use " + wanted);
        }
    }

    private void readConnection(FaultWords words, String what, Parts parts) {
        if (what.equalsIgnoreCase("REJECT")) {
            parts.reason = words.take("reason") ? (int) words.whole("the reason", 1, MAX_REASON) : CONSUMER;
            parts.words = "cm: REJECT reason " + parts.reason;
            return;
        }
        TimedFault.Kind[] kinds = {TimedFault.Kind.DISCONNECTED, TimedFault.Kind.DEVICE_REMOVAL, TimedFault.Kind.ADDR_CHANGE};
        if (Arrays.stream(kinds).noneMatch(kind -> kind.name().equalsIgnoreCase(what))) {
            throw words.refused("'" + what + "' cannot happen at cm: use REJECT, DISCONNECTED, DEVICE_REMOVAL or ADDR_CHANGE; events that"
                + " tell of a success follow without a fault, and those of a failure are event=... of the call that they follow");
        }
        parts.timed = words.constant(what, "event", kinds, Enum::name);
        parts.words = "cm: " + parts.timed;
    }

    private void readCall(FaultWords words, String what, Parts parts) {
        // A name of C is taken as it is; an extended verb is the same place.
        String name = parts.point.replaceFirst("^ibv_", "").replaceFirst("_ex$", "");
        Verb verb = Arrays.stream(Verb.values()).filter(one -> one.word().equals(name)).findFirst()
            .orElseThrow(() -> words.refused("'" + parts.point + "' is no place for a fault: use " + POINTS));
        parts.verb = verb;
        if (startsWith(what, "status=")) {
            readCompletion(words, what.substring(7), parts);
        } else if (startsWith(what, "event=")) {
            ConnectionFault.Event[] own = Arrays.stream(ConnectionFault.Event.values()).filter(event -> event.verb() == verb)
                .toArray(ConnectionFault.Event[]::new);
            if (own.length == 0) {
                throw words.refused("no event tells that " + verb.word() + " failed: write an errno, such as EINVAL");
            }
            parts.connection = words.constant(what.substring(6), "event of " + verb.word() + " that is a failure", own, Enum::name);
            parts.readStatus();
        } else {
            parts.error = words.constant(what, "error", VerbError.values(), Enum::name);
            parts.words = verb.word() + ": " + parts.error;
        }
    }

    /** That of a request: of a send queue with poll_cq, of a receive queue with what posts it. */
    private static void readCompletion(FaultWords words, String status, Parts parts) {
        boolean isSend = parts.verb == Verb.POLL_CQ;
        if (!isSend && parts.verb != Verb.POST_RECV && parts.verb != Verb.POST_SRQ_RECV) {
            throw words.refused("status= is for poll_cq, which means send requests, and for post_recv and post_srq_recv, not for "
                + parts.verb.word() + ": write an errno, such as ENOMEM");
        }
        parts.status = isSend ? words.constant(status, "status of a completion", CompletionStatus.values(), Enum::name)
            : words.constant(status, "status of a receive", VerbsRule.OF_RECEIVES.toArray(CompletionStatus[]::new), Enum::name);
        if (parts.status == CompletionStatus.SUCCESS) {
            throw words.refused("status=SUCCESS is no fault: name another status");
        }
        parts.words = parts.verb.word() + ": status=" + parts.status;
        parts.verb = isSend ? Verb.POST_SEND : parts.verb;
    }

    private static boolean startsWith(String word, String prefix) {
        return word.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    private IllegalArgumentException refused(String sentence) {
        return new IllegalArgumentException("verbs fault '" + text + "': " + sentence);
    }

    /** What was read of one fault. */
    private static final class Parts {
        private final String point;
        private final FaultWords source;
        private Verb verb;
        private VerbError error;
        private CompletionStatus status;
        private ConnectionFault.Event connection;
        private TimedFault.Kind timed;
        private AsyncEvent.Type event;
        private int reason;
        private Trigger trigger = Trigger.ALWAYS;
        private int queuePair;
        private String words;

        Parts(String point, FaultWords source) {
            this.point = point;
            this.source = source;
        }

        void readStatus() {
            words = verb.word() + ": event=" + connection;
            if (connection == ConnectionFault.Event.REJECTED) {
                reason = source.take("reason") ? (int) source.whole("the reason", 1, MAX_REASON) : CONSUMER;
                words += " reason " + reason;
            } else {
                error = source.take("status")
                    ? source.constant(source.next("the status"), "error", VerbError.values(), Enum::name) : connection.status();
                words += " status " + error;
            }
        }

        void readRest() {
            if (source.take("nth")) {
                trigger = new Trigger(Trigger.Kind.NTH, source.whole("nth", 1, Long.MAX_VALUE));
            } else if (source.take("every")) {
                trigger = new Trigger(Trigger.Kind.EVERY, source.whole("every", 1, Long.MAX_VALUE));
            } else if (source.take("after")) {
                trigger = source.timeOrSize("after");
            } else if (source.isShareNext()) {
                trigger = source.share();
            }
            if (source.take("qp")) {
                queuePair = (int) source.whole("qp", 2, MAX_NUMBER);
            }
            source.end();
            check();
        }

        private void check() {
            boolean isCounted = trigger.kind() == Trigger.Kind.NTH || trigger.kind() == Trigger.Kind.EVERY
                || trigger.kind() == Trigger.Kind.SHARE;
            if (timed != null && isCounted) {
                throw source.refused("'" + words + "' is no call that could be counted: write after TIME or after SIZE, or nothing");
            }
            boolean isOfQueuePair = verb == Verb.POST_SEND || status != null || timed == TimedFault.Kind.QUEUE_PAIR_ERROR
                || timed == TimedFault.Kind.EVENT && (event.name().startsWith("QP_") || event.name().startsWith("PATH_")
                || event == AsyncEvent.Type.COMM_EST || event == AsyncEvent.Type.SQ_DRAINED);
            if (queuePair != 0 && !isOfQueuePair) {
                throw source.refused("'" + words + "' is about no queue pair: leave qp out");
            }
            if (trigger.kind() == Trigger.Kind.AFTER_BYTES && timed == null && !hasBytes()) {
                throw source.refused("'" + words + "' is about no bytes: write after TIME, nth N, every N or P%");
            }
        }

        private boolean hasBytes() {
            return verb == Verb.POST_SEND || verb == Verb.POST_RECV || verb == Verb.POST_SRQ_RECV || verb == Verb.REG_MR
                || verb == Verb.REREG_MR;
        }

        /** A queue pair that fails after some bytes does so with the request that they end in. */
        VerbsRule rule() {
            boolean isByRequest = timed == TimedFault.Kind.QUEUE_PAIR_ERROR && trigger.kind() == Trigger.Kind.AFTER_BYTES;
            return new VerbsRule(isByRequest ? Verb.POST_SEND : verb, error, isByRequest ? CompletionStatus.WR_FLUSH_ERR : status,
                connection, isByRequest ? null : timed, event, reason,
                isByRequest ? new Trigger(Trigger.Kind.AT_BYTES, trigger.value()) : trigger, queuePair, 0, words);
        }
    }
}
