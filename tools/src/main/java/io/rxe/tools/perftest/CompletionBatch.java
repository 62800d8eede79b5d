package io.rxe.tools.perftest;

import io.rxe.bench.TransferFailure;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkCompletion;

/** Polls completions in batches and throws a {@link TransferFailure} that says what to check for an error. Polling allocates nothing. */
final class CompletionBatch {
    private static final int BATCH = 16;

    private final CompletionQueue queue;
    private final String what;
    private final CompletionBatch causes;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];

    /** @param what names the requests in messages: "send to 10.0.0.2". */
    CompletionBatch(CompletionQueue queue, String what) {
        this(queue, what, null);
    }

    /** @param causes the queue to search for the error that caused a flush, or null. */
    CompletionBatch(CompletionQueue queue, String what, CompletionBatch causes) {
        this.queue = queue;
        this.what = what;
        this.causes = causes;
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    /** Polls up to a batch; {@link #at} returns each. */
    int poll() {
        int count = queue.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch[i].isSuccess()) {
                if (causes != null && batch[i].status() == CompletionStatus.WR_FLUSH_ERR) {
                    causes.throwFirst();
                }
                throw failed(batch[i]);
            }
        }
        return count;
    }

    private void throwFirst() {
        int count = poll();
        while (count > 0) {
            count = poll();
        }
    }

    WorkCompletion at(int index) {
        return batch[index];
    }

    private TransferFailure failed(WorkCompletion completion) {
        StringBuilder text = new StringBuilder(200);
        text.append(what).append(" on queue pair 0x").append(Integer.toHexString(completion.queuePairNumber())).append(" failed: ")
            .append(TransferFailure.describe(completion));
        switch (completion.status()) {
            case LOC_LEN_ERR, REM_INV_REQ_ERR -> text.append("; use the same -s at both ends");
            case REM_ACCESS_ERR -> text.append("; use the same test and the same -s, -a and -q at both ends");
            default -> {
                // The explanation suffices.
            }
        }
        return new TransferFailure(text.toString(), completion.status());
    }
}
