/**
 * Races: two threads run the two ends of a protocol at the same instant, millions of times, and an arbiter names what came of it. Each
 * race declares its outcomes; any other is a defect. The work of jcstress in one process, on the real classes: their state is too large
 * to be made again for every sample.
 *
 * <p>{@code tools/dev/stress} runs them for long; {@code mvn verify} runs a short version and shows that each kind of race finds the
 * mistake it is there for.
 */
package io.rxe.stress;
