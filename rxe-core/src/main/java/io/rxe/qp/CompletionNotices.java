package io.rxe.qp;

import java.util.ArrayList;
import java.util.List;

/**
 * Completion queues that got something since their channels were last told: one look at the arming for a batch of completions, not for
 * each.
 *
 * <p>Owned by the engine thread.
 */
public final class CompletionNotices {
    private final List<CompletionLane> waiting = new ArrayList<>();

    /** A lane got its first completion since it was last told of. */
    void add(CompletionLane lane) {
        waiting.add(lane);
    }

    /** Whether somebody may have to be told. */
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Tells the channels of queues that are armed. What a listener causes to complete meanwhile is told of as well. */
    public void tell() {
        for (int i = 0; i < waiting.size(); i++) {
            waiting.get(i).tell();
        }
        waiting.clear();
    }
}
