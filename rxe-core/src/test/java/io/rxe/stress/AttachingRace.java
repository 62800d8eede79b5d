package io.rxe.stress;

import io.rxe.verbs.CompletionChannel;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Attaching: while a queue of a channel is closed another is created or closed; then await waits exactly when a queue is left. A round has
 * many channels, because the actors meet in one of them for some nanoseconds only.
 */
final class AttachingRace extends Race {
    private static final int CHANNELS = 100;

    private final int queuesBefore;
    private final BiConsumer<AttachingRace, CompletionChannel> other;
    private final CompletionChannel[] channels = new CompletionChannel[CHANNELS];
    /** How often a thread would have waited. */
    private int waits;

    private AttachingRace(String name, int queuesBefore, String expected, BiConsumer<AttachingRace, CompletionChannel> other) {
        super(name, Map.of(expected, Expectation.ACCEPTABLE));
        this.queuesBefore = queuesBefore;
        this.other = other;
    }

    /** The only queue is closed, and another created. */
    static AttachingRace closingAndCreating() {
        return new AttachingRace("channel detach and attach", 1, CHANNELS + " wait", AttachingRace::attach);
    }

    /** Both queues are closed. */
    static AttachingRace closingBoth() {
        return new AttachingRace("channel detach twice", 2, "0 wait", AttachingRace::detach);
    }

    private void attach(CompletionChannel channel) {
        channel.attach(() -> false, this::drive);
    }

    private void detach(CompletionChannel channel) {
        channel.detach();
        channel.wakeWaiters();
    }

    private boolean drive(BooleanSupplier condition, long timeoutNs) {
        waits++;
        return condition.getAsBoolean();
    }

    @Override
    protected void prepare() {
        for (int i = 0; i < CHANNELS; i++) {
            channels[i] = new CompletionChannel();
            for (int queue = 0; queue < queuesBefore; queue++) {
                attach(channels[i]);
            }
        }
    }

    @Override
    protected void first() {
        for (CompletionChannel channel : channels) {
            detach(channel);
        }
    }

    @Override
    protected void second() {
        for (CompletionChannel channel : channels) {
            other.accept(this, channel);
        }
    }

    @Override
    protected String outcome() throws InterruptedException {
        for (CompletionChannel channel : channels) {
            // This one may still return because a queue was closed.
            AwaitRace.awaitOrNull(channel, 1);
        }
        waits = 0;
        for (CompletionChannel channel : channels) {
            AwaitRace.awaitOrNull(channel, 1);
        }
        return waits + " wait";
    }
}
