package io.rxe.net.fault;

import io.rxe.fault.ConnectionFault;
import io.rxe.fault.RequestFault;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.fault.VerbFaults;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The rules of a {@link VerbsFaultSpec} in one NIC: each draws from a stream of its own, and counts. Any thread. */
final class VerbsFaults implements VerbFaults {
    private final List<RuleState> ofCalls = new ArrayList<>();
    private final List<RuleState> refusals = new ArrayList<>();
    private final List<RuleState> timed = new ArrayList<>();
    private final List<RuleState> all = new ArrayList<>();
    /** Those that no event has met yet. Guarded by this. */
    private final List<Expectation> expected;
    private final List<Expectation> expectations;
    private final Set<Expectation> met = ConcurrentHashMap.newKeySet();
    private final LongSupplier clock;
    private final AtomicLong posted = new AtomicLong();
    private final AtomicLong uncounted = new AtomicLong();
    private final boolean countsPosts;
    private volatile Runnable wake = () -> { };
    private volatile long openedNs;
    private volatile boolean portUp = true;
    private String failed;

    VerbsFaults(List<VerbsRule> rules, List<Expectation> expectations, long seed, LongSupplier clock) {
        this.clock = clock;
        this.openedNs = clock.getAsLong();
        this.expectations = expectations;
        this.expected = new ArrayList<>(expectations);
        SplittableRandom streams = new SplittableRandom(seed);
        for (VerbsRule rule : rules) {
            RuleState state = new RuleState(rule, streams.split(), uncounted);
            all.add(state);
            (rule.isRefusal() ? refusals : rule.isOfCalls() ? ofCalls : timed).add(state);
        }
        countsPosts = timed.stream().anyMatch(state -> state.rule().trigger().kind() == Trigger.Kind.AFTER_BYTES);
    }

    @Override
    public void open(Runnable onDue) {
        wake = onDue;
        openedNs = clock.getAsLong();
    }

    private long nowNs() {
        return clock.getAsLong() - openedNs;
    }

    @Override
    public boolean concerns(Verb verb) {
        return verb == Verb.POST_SEND && countsPosts || ofCalls.stream().anyMatch(state -> state.rule().verb() == verb);
    }

    @Override
    public void onCall(Verb verb, long bytes) {
        for (RuleState state : ofCalls) {
            VerbsRule rule = state.rule();
            if (rule.verb() == verb && rule.status() == null && rule.connection() == null && state.strikes(bytes, nowNs())) {
                throw VerbFailure.of(rule.error(), verb.word() + " fails with " + rule.error() + because(rule));
            }
        }
    }

    @Override
    public RequestFault onRequest(int queuePair, QueuePairType type, long bytes) {
        if (countsPosts) {
            long sum = posted.addAndGet(bytes);
            if (timed.stream().anyMatch(state -> sum - bytes < state.rule().trigger().value() && sum >= state.rule().trigger().value())) {
                wake.run();
            }
        }
        for (RuleState state : ofCalls) {
            VerbsRule rule = state.rule();
            if (rule.isOfRequest(queuePair, type) && state.strikes(bytes, nowNs())) {
                return struck(rule);
            }
        }
        return null;
    }

    @Override
    public RequestFault onReceive(Verb verb, int queuePair, QueuePairType type, long bytes) {
        for (RuleState state : ofCalls) {
            VerbsRule rule = state.rule();
            if (rule.isOfReceive(verb, queuePair, type) && state.strikes(bytes, nowNs())) {
                return struck(rule);
            }
        }
        return null;
    }

    /** With ENOMEM the queue counts as full; any other error is thrown. */
    private static RequestFault struck(VerbsRule rule) {
        if (rule.status() == null && rule.error() != VerbError.ENOMEM) {
            throw VerbFailure.of(rule.error(), "post_send fails with " + rule.error() + because(rule));
        }
        return new RequestFault(rule.status(), "the request fails with " + rule.status() + because(rule));
    }

    private static String because(VerbsRule rule) {
        return " because a fault is made on purpose: " + rule;
    }

    @Override
    public ConnectionFault onConnection(Verb verb) {
        for (RuleState state : ofCalls) {
            VerbsRule rule = state.rule();
            if (rule.verb() == verb && rule.connection() != null && state.strikes(0, nowNs())) {
                return new ConnectionFault(rule.connection(), rule.error() == null ? rule.reason() : -rule.error().number(),
                    verb.word() + " fails" + because(rule));
            }
        }
        return null;
    }

    @Override
    public int onConnectionRequest() {
        for (RuleState state : refusals) {
            if (state.strikes(0, nowNs())) {
                return state.rule().reason();
            }
        }
        return 0;
    }

    @Override
    public boolean isPortUp() {
        return portUp;
    }

    @Override
    public synchronized boolean isTimed() {
        return !timed.isEmpty() || !expected.isEmpty();
    }

    @Override
    public TimedFault takeDue() {
        long nowNs = nowNs();
        expire(nowNs);
        RuleState due = timed.stream().min(Comparator.comparingLong(state -> state.dueNs(posted.get())))
            .filter(state -> state.dueNs(posted.get()) <= nowNs).orElse(null);
        if (due == null) {
            return null;
        }
        due.strikeOnce();
        VerbsRule rule = due.rule();
        if (rule.event() == AsyncEvent.Type.PORT_ERR || rule.event() == AsyncEvent.Type.PORT_ACTIVE) {
            portUp = rule.event() == AsyncEvent.Type.PORT_ACTIVE;
        }
        return new TimedFault(rule.timed(), rule.event(), rule.queuePair(), "a fault made on purpose: " + rule);
    }

    @Override
    public synchronized long waitNs() {
        long nowNs = nowNs();
        long dueNs = timed.stream().mapToLong(state -> state.dueNs(posted.get())).min().orElse(Long.MAX_VALUE);
        long endNs = expected.stream().mapToLong(Expectation::endNs).min().orElse(Long.MAX_VALUE);
        long nextNs = Math.min(dueNs, endNs);
        return nextNs == Long.MAX_VALUE ? nextNs : Math.max(0, nextNs - nowNs);
    }

    private synchronized void expire(long nowNs) {
        for (Expectation one : expected) {
            if (nowNs >= one.endNs() && failed == null) {
                failed = one.failure();
            }
        }
        if (failed != null) {
            expected.clear();
        }
    }

    @Override
    public synchronized void onEvent(String name) {
        long nowNs = nowNs();
        for (Expectation one : expected) {
            if (one.event().equals(name) && nowNs >= one.fromNs() && nowNs < one.endNs()) {
                expected.remove(one);
                met.add(one);
                return;
            }
        }
    }

    @Override
    public synchronized String failure(boolean isAtEnd) {
        if (failed == null && isAtEnd && !expected.isEmpty()) {
            failed = expected.get(0).failure() + ": the program ended before";
        }
        return failed;
    }

    @Override
    public long takeStrikes() {
        return uncounted.get() == 0 ? 0 : uncounted.getAndSet(0);
    }

    @Override
    public Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        all.forEach(state -> counts.merge(state.rule().toString(), state.strikes(), Long::sum));
        expectations.forEach(one -> counts.put(one.toString(), met.contains(one) ? 1L : 0L));
        return counts;
    }
}
