package io.rxe.disni;

import com.ibm.disni.verbs.IbvCompChannel;
import io.rxe.verbs.CompletionChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

final class DisniCompletionChannel extends IbvCompChannel {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final CompletionChannel channel = new CompletionChannel();

    DisniCompletionChannel(DisniContext context) throws IOException {
        super(NUMBERS.incrementAndGet(), context);
    }

    CompletionChannel channel() {
        return channel;
    }

    /**
     * Waits for the next armed queue that receives a completion, also while the thread is interrupted.
     *
     * @param timeoutMs below 0 for ever.
     * @return whether there was one.
     */
    boolean await(int timeoutMs) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return channel.await(timeoutMs < 0 ? Long.MAX_VALUE : Math.max(0, endNs - System.nanoTime())) != null;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
