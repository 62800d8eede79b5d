package io.rxe.bench;

/** The time of a bandwidth test: a warm-up, then what is measured. Owned by the thread that posts. */
final class MeasuredTime {
    private final Lane[] lanes;
    private final long warmUpNs;
    private final long durationNs;
    private final long startNs = System.nanoTime();
    private long beginNs;
    private long elapsedNs;

    MeasuredTime(Lane[] lanes, long warmUpNs, long durationNs) {
        this.lanes = lanes;
        this.warmUpNs = warmUpNs;
        this.durationNs = durationNs;
    }

    /** Looks at the clock: has the measured time begun, or ended? */
    void look() {
        long nowNs = System.nanoTime();
        if (beginNs == 0) {
            if (nowNs - startNs >= warmUpNs) {
                beginNs = nowNs;
                for (Lane lane : lanes) {
                    lane.markBegin();
                }
            }
        } else if (elapsedNs == 0 && nowNs - beginNs >= durationNs) {
            elapsedNs = nowNs - beginNs;
            for (Lane lane : lanes) {
                lane.markEnd();
            }
        }
    }

    boolean isOver() {
        return elapsedNs != 0;
    }

    /** Whether nothing is under way any more. */
    boolean isIdle() {
        for (Lane lane : lanes) {
            if (!lane.isIdle()) {
                return false;
            }
        }
        return true;
    }

    BandwidthResult result(Workload workload) {
        long messages = 0;
        double squares = 0;
        for (Lane lane : lanes) {
            messages += lane.measured();
            squares += (double) lane.measured() * lane.measured();
        }
        double fairness = squares == 0 ? 1 : (double) messages * messages / (lanes.length * squares);
        return new BandwidthResult(messages, messages * workload.sizeBytes(), elapsedNs, fairness);
    }
}
