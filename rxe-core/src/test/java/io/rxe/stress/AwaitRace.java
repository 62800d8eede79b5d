package io.rxe.stress;

import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Waiting: a thread in {@link CompletionChannel#await} returns for everything that another thread does to the channel meanwhile. The
 * thread waits in the race's own driver, which gives up when nothing more can come, so a lost wake-up shows at once and not as a thread
 * that hangs.
 */
final class AwaitRace extends Race {
    private final BiConsumer<CompletionChannel, CompletionQueue> actions;
    private final CompletionQueue[] awaited;
    private final int queuesExpected;
    private CompletionQueue queue;
    private CompletionChannel channel;
    private boolean waited;
    private boolean lost;
    /** Whether the second actor has finished. */
    private volatile boolean over;

    private AwaitRace(String name, int awaits, int queuesExpected, BiConsumer<CompletionChannel, CompletionQueue> actions) {
        super(name, Map.of("returned at once", Expectation.ACCEPTABLE, "waited, then returned", Expectation.INTERESTING));
        this.actions = actions;
        this.awaited = new CompletionQueue[awaits];
        this.queuesExpected = queuesExpected;
    }

    /** {@link CompletionChannel#wakeup} ends one await, whether it has begun or not. */
    static AwaitRace wakeup() {
        return new AwaitRace("channel wakeup", 1, 0, (channel, queue) -> channel.wakeup());
    }

    /** A queue that is ready and a wake-up end one await each. */
    static AwaitRace signalAndWakeup() {
        return new AwaitRace("channel signal and wakeup", 2, 1, (channel, queue) -> {
            channel.signal(queue);
            channel.wakeup();
        });
    }

    /** The last queue of the channel is closed: every await returns. */
    static AwaitRace lastQueueClosed() {
        return new AwaitRace("channel loses its queue", 2, 0, (channel, queue) -> {
            channel.detach();
            channel.wakeWaiters();
        });
    }

    @Override
    protected void prepare() {
        if (queue == null) {
            queue = new StressNic(null).queue;
        }
        channel = new CompletionChannel();
        channel.attach(() -> false, this::drive);
        waited = false;
        lost = false;
        over = false;
    }

    /** Where the thread waits. After the last action one more try must succeed. */
    private boolean drive(BooleanSupplier condition, long timeoutNs) {
        boolean[] holds = new boolean[1];
        waited |= !over;
        RaceRun.await(() -> {
            boolean isLast = over;
            holds[0] = condition.getAsBoolean();
            return isLast || holds[0];
        });
        lost |= !holds[0];
        return holds[0];
    }

    /** Await throws where the last queue was closed before it. */
    static CompletionQueue awaitOrNull(CompletionChannel channel, long timeoutNs) throws InterruptedException {
        try {
            return channel.await(timeoutNs);
        } catch (IllegalStateException e) {
            return null;
        }
    }

    @Override
    protected void first() throws InterruptedException {
        for (int i = 0; i < awaited.length; i++) {
            awaited[i] = awaitOrNull(channel, Long.MAX_VALUE);
        }
    }

    @Override
    protected void second() {
        actions.accept(channel, queue);
        over = true;
    }

    @Override
    protected String outcome() {
        int queues = 0;
        for (CompletionQueue one : awaited) {
            queues += one == queue ? 1 : 0;
        }
        if (lost) {
            return "lost: waits after all was done";
        }
        if (queues != queuesExpected) {
            return queues + " queues instead of " + queuesExpected;
        }
        return waited ? "waited, then returned" : "returned at once";
    }
}
