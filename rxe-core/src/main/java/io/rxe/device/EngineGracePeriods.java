package io.rxe.device;

import io.rxe.qp.context.GracePeriods;

/**
 * The grace periods of one engine: each ends when the other engines have polled once, or need not, because this thread drives them too.
 *
 * <p>An engine that waits here never holds up another: it goes on polling.
 */
final class EngineGracePeriods implements GracePeriods {
    private final Nic nic;
    private final Engine own;

    EngineGracePeriods(Nic nic, Engine own) {
        this.nic = nic;
        this.own = own;
    }

    @Override
    public long begin() {
        long number = own.keys().beginGracePeriod();
        for (int i = 0; i < nic.engines(); i++) {
            if (nic.engine(i) != own) {
                nic.engine(i).thread().wake();
            }
        }
        return number;
    }

    @Override
    public boolean isOver(long number) {
        for (int i = 0; i < nic.engines(); i++) {
            Engine engine = nic.engine(i);
            if (engine != own && !engine.keys().hasPassed(number) && !engine.thread().isCurrent()) {
                return false;
            }
        }
        return true;
    }
}
