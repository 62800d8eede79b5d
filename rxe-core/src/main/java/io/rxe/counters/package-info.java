/**
 * What is counted and how: one enum for each family of counters, the cells they are counted in, and the layout that lets other processes
 * read them ({@link io.rxe.counters.CounterLayout}). Single writer (the engine thread), ordered stores, readable by anyone at any time.
 * The last events of an engine are kept here too ({@link io.rxe.counters.EventRing}).
 *
 * <p>Not used: files, clocks. The buffer comes from a {@link io.rxe.port.CounterSpace}. No packet passes through here; every packet is
 * counted on its way through {@code io.rxe.device} and {@code io.rxe.qp}.
 */
package io.rxe.counters;
