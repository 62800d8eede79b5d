package io.rxe.device;

import io.rxe.qp.context.GracePeriods;
import java.util.List;

/**
 * The grace periods of one engine: each ends when the other engines have polled once, or need not, because this thread drives them too.
 *
 * <p>An engine that waits here never holds up another: it goes on polling.
 */
final class EngineGracePeriods implements GracePeriods {
    private final List<Engine> engines;
    private final Engine own;

    EngineGracePeriods(List<Engine> engines, Engine own) {
        this.engines = engines;
        this.own = own;
    }

    @Override
    public long begin() {
        long number = own.keys().beginGracePeriod();
        for (int i = 0; i < engines.size(); i++) {
            if (engines.get(i) != own) {
                engines.get(i).thread().wake();
            }
        }
        return number;
    }

    @Override
    public boolean isOver(long number) {
        for (int i = 0; i < engines.size(); i++) {
            Engine engine = engines.get(i);
            if (engine != own && !engine.keys().hasPassed(number) && !engine.thread().isCurrent()) {
                return false;
            }
        }
        return true;
    }
}
