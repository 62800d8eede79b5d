package io.rxe.device;

import java.util.concurrent.atomic.AtomicReference;

/** The close of a resource: one thread at a time carries it out, and once, unless it has thrown. Any thread. */
final class Closing {
    private enum Stage {
        OPEN, RUNNING, FAILED, DONE
    }

    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);

    boolean isBegun() {
        return stage.get() != Stage.OPEN;
    }

    /** Carries it out, unless another thread does or has done so. What throws is to be called again, and must not mind that. */
    void run(Runnable steps) {
        if (!stage.compareAndSet(Stage.OPEN, Stage.RUNNING) && !stage.compareAndSet(Stage.FAILED, Stage.RUNNING)) {
            return;
        }
        Stage end = Stage.FAILED;
        try {
            steps.run();
            end = Stage.DONE;
        } finally {
            stage.set(end);
        }
    }
}
