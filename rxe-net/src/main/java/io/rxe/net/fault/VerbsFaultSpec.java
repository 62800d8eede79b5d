package io.rxe.net.fault;

import io.rxe.fault.VerbFaults;
import io.rxe.net.port.SystemClock;
import io.rxe.verbs.CompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Faults at the verbs of a NIC: which calls, requests, queue pairs, ports and connections fail, how and when. {@link #parse} reads them;
 * docs/run.md has the grammar.
 */
public final class VerbsFaultSpec {
    private final List<VerbsRule> rules;
    private final List<Expectation> expectations;

    VerbsFaultSpec(List<VerbsRule> rules, List<Expectation> expectations) {
        this.rules = List.copyOf(rules);
        this.expectations = List.copyOf(expectations);
    }

    /**
     * Parses faults, for example {@code "poll_cq: status=RETRY_EXC_ERR every 1000; reg_mr: ENOMEM nth 3"}.
     *
     * @throws IllegalArgumentException that names the wrong word and what is allowed in its place.
     */
    public static VerbsFaultSpec parse(String text) {
        return new VerbsFaultSpec(new VerbsFaultParser(text).read(), List.of());
    }

    /**
     * Parses a script: lines {@code at TIME FAULT} and {@code expect EVENT within TIME}.
     *
     * @param lines of the script; empty ones, and what follows a #, are comments.
     * @throws IllegalArgumentException that names the line, the wrong word and what is allowed in its place.
     */
    public static VerbsFaultSpec script(List<String> lines) {
        return new VerbsScript().read(lines);
    }

    /** The faults of this one and those of another. */
    public VerbsFaultSpec and(VerbsFaultSpec other) {
        List<VerbsRule> all = new ArrayList<>(rules);
        all.addAll(other.rules);
        List<Expectation> expected = new ArrayList<>(expectations);
        expected.addAll(other.expectations);
        return new VerbsFaultSpec(all, expected);
    }

    /**
     * What makes these faults in one NIC.
     *
     * @param seed the same seed makes the same faults for the same calls in the same order.
     */
    public VerbFaults faults(long seed) {
        return new VerbsFaults(rules, expectations, seed, SystemClock::nowNs);
    }

    /** Whether a receive request can complete with a status, so that {@code post_recv: status=} takes it. */
    public static boolean isOfReceive(CompletionStatus status) {
        return VerbsRule.OF_RECEIVES.contains(status);
    }

    List<VerbsRule> rules() {
        return rules;
    }

    List<Expectation> expectations() {
        return expectations;
    }

    /** {@link #parse} reads it back, but for what a script has. */
    @Override
    public String toString() {
        return rules.stream().map(VerbsRule::toString).collect(Collectors.joining("; "));
    }
}
