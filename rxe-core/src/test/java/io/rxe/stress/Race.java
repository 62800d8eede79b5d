package io.rxe.stress;

import java.util.Map;

/**
 * Two actors that share one state, and what may come of it.
 *
 * <p>A round: {@link #prepare}, then {@link #first} and {@link #second} at the same time on two threads, then {@link #outcome}.
 * {@code prepare}, {@code second} and {@code outcome} share a thread.
 */
public abstract class Race {
    /** What an outcome means. */
    public enum Expectation {
        /** Correct, and no proof that the actors overlapped. */
        ACCEPTABLE,
        /** Correct, and only possible when the actors overlapped: a run that never sees it has tested little. */
        INTERESTING
    }

    private final String name;
    private final Map<String, Expectation> outcomes;

    /** @param outcomes every correct outcome; each other one is a defect. */
    protected Race(String name, Map<String, Expectation> outcomes) {
        this.name = name;
        this.outcomes = Map.copyOf(outcomes);
    }

    public final String name() {
        return name;
    }

    /** The expectation of an outcome, or null when it is forbidden. */
    final Expectation expectation(String outcome) {
        return outcomes.get(outcome);
    }

    /** Makes the state of the next round. */
    protected abstract void prepare() throws Exception;

    /** On a thread of its own. */
    protected abstract void first() throws Exception;

    protected abstract void second() throws Exception;

    /** Both actors have finished, and everything they wrote is visible. */
    protected abstract String outcome() throws Exception;

    @Override
    public final String toString() {
        return name;
    }

    /** Frees what the race holds. */
    protected void close() throws Exception {
        // Most hold nothing.
    }
}
