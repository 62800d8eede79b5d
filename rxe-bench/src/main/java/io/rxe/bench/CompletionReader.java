package io.rxe.bench;

import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.util.function.Function;

/** Polls completions in batches and throws a {@link TransferFailure} for every error. Owned by one thread; polling allocates nothing. */
public final class CompletionReader {
    private static final int BATCH = 32;

    private final CompletionQueue queue;
    private final Function<WorkCompletion, String> failure;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];

    /** @param failure the text for a failed completion: what failed, where, and what to do about it. */
    public CompletionReader(CompletionQueue queue, Function<WorkCompletion, String> failure) {
        this.queue = queue;
        this.failure = failure;
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    /** Polls up to a batch; {@link #at} returns each. */
    public int poll() {
        int count = queue.poll(batch);
        for (int i = 0; i < count; i++) {
            check(batch[i]);
        }
        return count;
    }

    /** A completion of the last {@link #poll}. */
    public WorkCompletion at(int index) {
        return batch[index];
    }

    WorkCompletion await(StallWatch watch) {
        while (!queue.poll(batch[0])) {
            if (queue.isOverrun()) {
                throw new TransferFailure("a completion queue overran: completions were lost; make it larger");
            }
            watch.idle();
        }
        watch.progress();
        check(batch[0]);
        return batch[0];
    }

    private void check(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            throw new TransferFailure(failure.apply(completion), completion.status());
        }
    }
}
