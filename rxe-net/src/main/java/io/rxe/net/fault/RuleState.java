package io.rxe.net.fault;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** A rule, how often its calls were made, and how often it struck. Any thread. */
final class RuleState {
    private final VerbsRule rule;
    private final SplittableRandom random;
    /** Strikes of all rules of the NIC. */
    private final AtomicLong sum;
    /** Guarded by this, as all that follows. */
    private long calls;
    private long bytes;
    private long strikes;
    private boolean done;

    RuleState(VerbsRule rule, SplittableRandom random, AtomicLong sum) {
        this.rule = rule;
        this.random = random;
        this.sum = sum;
    }

    VerbsRule rule() {
        return rule;
    }

    synchronized long strikes() {
        return strikes;
    }

    /** Counts a call that the rule is about; returns whether the rule strikes. */
    synchronized boolean strikes(long callBytes, long nowNs) {
        if (nowNs < rule.fromNs()) {
            return false;
        }
        calls++;
        long before = bytes;
        bytes += callBytes;
        long value = rule.trigger().value();
        boolean isStruck = switch (rule.trigger().kind()) {
            case ALWAYS -> true;
            case NTH -> calls == value;
            case EVERY -> calls % value == 0;
            case SHARE -> random.nextLong(Trigger.WHOLE) < value;
            case AFTER_TIME -> nowNs - rule.fromNs() >= value;
            case AFTER_BYTES -> before >= value;
            case AT_BYTES -> before < value && bytes >= value;
        };
        if (isStruck) {
            count();
        }
        return isStruck;
    }

    /** When a fault without a call is due, in ns since the NIC was opened; MAX_VALUE while that is not known, and when it is over. */
    synchronized long dueNs(long postedBytes) {
        if (done) {
            return Long.MAX_VALUE;
        }
        return switch (rule.trigger().kind()) {
            case AFTER_TIME -> rule.fromNs() + rule.trigger().value();
            case AFTER_BYTES -> postedBytes >= rule.trigger().value() ? rule.fromNs() : Long.MAX_VALUE;
            default -> rule.fromNs();
        };
    }

    synchronized void strikeOnce() {
        done = true;
        count();
    }

    private void count() {
        strikes++;
        sum.incrementAndGet();
    }
}
