/**
 * Counters: an enum for each family, the cells that hold the values, and the layout that other processes read
 * ({@link io.rxe.counters.CounterLayout}). One writer (the engine thread) with ordered stores; any thread may read at any time. Also the
 * events of an engine ({@link io.rxe.counters.EngineEvents}).
 *
 * <p>Uses no files and no clocks. The buffer comes from a {@link io.rxe.port.CounterSpace}. No packet passes through this package:
 * {@code io.rxe.device} and {@code io.rxe.qp} count it.
 */
package io.rxe.counters;
