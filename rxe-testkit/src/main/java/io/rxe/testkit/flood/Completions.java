package io.rxe.testkit.flood;

import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.WorkCompletion;
import java.util.function.Consumer;

/** Completion queues whose completions are handled on the engine's thread. */
final class Completions {
    private Completions() {
    }

    /** Creates a queue, armed. The handler must not keep the completion. */
    static CompletionQueue handledBy(Device device, int capacity, Consumer<WorkCompletion> handler) {
        CompletionQueue queue = device.createCompletionQueue(capacity, CompletionChannel.calling(ready -> drain(ready, handler)));
        queue.requestNotification(false);
        return queue;
    }

    /** Empties the queue, arms it, and takes what was added in between. */
    private static void drain(CompletionQueue queue, Consumer<WorkCompletion> handler) {
        WorkCompletion done = new WorkCompletion();
        while (queue.poll(done)) {
            handler.accept(done);
        }
        queue.requestNotification(false);
        while (queue.poll(done)) {
            handler.accept(done);
        }
    }
}
