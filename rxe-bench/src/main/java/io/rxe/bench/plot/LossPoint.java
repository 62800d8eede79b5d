package io.rxe.bench.plot;

import io.rxe.bench.Workload;

/**
 * Goodput under loss.
 *
 * @param workload          what was sent.
 * @param lossPercent       packets lost in each direction, 0 to 100.
 * @param gigabitsPerSecond what arrived all the same.
 */
public record LossPoint(Workload workload, double lossPercent, double gigabitsPerSecond) {
}
