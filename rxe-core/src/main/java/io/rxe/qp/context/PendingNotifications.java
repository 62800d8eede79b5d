package io.rxe.qp.context;

import io.rxe.port.EngineThread;
import java.util.ArrayList;
import java.util.List;

/**
 * Completion rings that got a completion since their channels were last notified. The arming of a queue is checked once for a batch of
 * completions instead of for each.
 *
 * <p>Owned by the engine thread.
 */
public final class PendingNotifications {
    private final EngineThread thread;
    private final List<CompletionRing> waiting = new ArrayList<>();

    /** @param thread where an exception of a listener is reported. */
    public PendingNotifications(EngineThread thread) {
        this.thread = thread;
    }

    /** A ring got its first completion since its channel was last notified. */
    void add(CompletionRing ring) {
        waiting.add(ring);
    }

    /** Whether any channel may have to be notified. */
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Notifies the channels of armed queues, also for completions that a listener causes meanwhile. Reports a listener that throws. */
    public void notifyChannels() {
        for (int i = 0; i < waiting.size(); i++) {
            try {
                waiting.get(i).notifyChannel();
            } catch (Throwable fault) {
                thread.report("the listener of a completion channel", fault);
            }
        }
        waiting.clear();
    }
}
