package io.rxe.disni;

import com.ibm.disni.verbs.IbvCQ;
import io.rxe.verbs.CompletionQueue;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

final class DisniCompletionQueue extends IbvCQ {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final CompletionQueue queue;

    /**
     * @param channel  null for a queue that is only polled.
     * @param capacity completions it must hold; 0 becomes 1.
     */
    DisniCompletionQueue(DisniContext context, DisniCompletionChannel channel, int capacity) throws IOException {
        super(context, channel, NUMBERS.incrementAndGet());
        this.queue = context.nic().device().createCompletionQueue(capacity == 0 ? 1 : capacity,
            channel == null ? null : channel.channel());
        this.cqe = queue.capacity();
    }

    CompletionQueue queue() {
        return queue;
    }
}
