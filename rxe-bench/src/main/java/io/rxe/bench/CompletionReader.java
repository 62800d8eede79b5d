package io.rxe.bench;

import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.WorkCompletion;

/**
 * Polls completions in batches and throws a {@link TransferFailure} for every error. Owned by one thread; polling allocates nothing.
 */
final class CompletionReader {
    private static final int BATCH = 32;

    private final CompletionQueue queue;
    private final Device device;
    private final String name;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];

    CompletionReader(CompletionQueue queue, Device device, String name) {
        this.queue = queue;
        this.device = device;
        this.name = name;
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    /** Polls up to a batch; {@link #at} returns each. */
    int poll() {
        int count = queue.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch[i].isSuccess()) {
                throw failed(batch[i]);
            }
        }
        return count;
    }

    /** A completion of the last {@link #poll}. */
    WorkCompletion at(int index) {
        return batch[index];
    }

    /** Waits for one completion. */
    WorkCompletion await(StallWatch watch) {
        while (!queue.poll(batch[0])) {
            if (queue.isOverrun()) {
                throw new TransferFailure(name + " overran: completions were lost; make it larger");
            }
            watch.idle();
        }
        watch.progress();
        if (!batch[0].isSuccess()) {
            throw failed(batch[0]);
        }
        return batch[0];
    }

    /**
     * Discards all completions, errors included: leaves an empty queue after a failed measurement.
     */
    void discard() {
        while (queue.poll(batch) > 0) {
            // Discarded.
        }
    }

    private TransferFailure failed(WorkCompletion completion) {
        StringBuilder text = new StringBuilder(160);
        text.append(name).append(", request ").append(completion.workRequestId()).append(" on queue pair 0x")
            .append(Integer.toHexString(completion.queuePairNumber())).append(": ").append(TransferFailure.describe(completion));
        for (AsyncEvent event = device.pollAsyncEvent(); event != null; event = device.pollAsyncEvent()) {
            text.append("; event ").append(event.type());
            if (!event.explanation().isEmpty()) {
                text.append(": ").append(event.explanation());
            }
        }
        return new TransferFailure(text.toString(), completion.status());
    }
}
