package io.rxe.bench;

import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.Device;
import io.rxe.wire.Psn;

/**
 * Two devices with queue pairs connected one to one, number {@code i} of one side to number {@code i} of the other.
 * Closing it leaves the devices open.
 */
public final class LoopbackPair implements AutoCloseable {
    // Packets before the PSN wraps: few enough that the first megabyte crosses it.
    private static final int WRAP_DISTANCE = 100;

    private final LoopbackSide first;
    private final LoopbackSide second;

    private LoopbackPair(LoopbackSide first, LoopbackSide second) {
        this.first = first;
        this.second = second;
    }

    /**
     * Makes the queue pairs and brings them to RTS.
     *
     * @throws IllegalArgumentException if a device refuses, for example a path MTU beyond the port's.
     */
    public static LoopbackPair connect(Device first, Device second, PairConfig config) {
        return connect(first, second, config, null, null);
    }

    /** The same with a channel for the completions of each side, or null. */
    static LoopbackPair connect(Device first, Device second, PairConfig config,
                                CompletionChannel firstChannel, CompletionChannel secondChannel) {
        LoopbackPair pair = new LoopbackPair(new LoopbackSide("A", first, config, firstChannel),
            new LoopbackSide("B", second, config, secondChannel));
        for (int i = 0; i < config.queuePairs(); i++) {
            int firstPsn = startPsn(config.seed(), 2 * i);
            int secondPsn = startPsn(config.seed(), 2 * i + 1);
            pair.first.connect(i, pair.second, config, firstPsn, secondPsn);
            pair.second.connect(i, pair.first, config, secondPsn, firstPsn);
        }
        return pair;
    }

    // The first queue pair starts shortly before the wrap of the PSN: the verify pass crosses it both ways.
    private static int startPsn(long seed, int index) {
        int random = (int) DataPattern.mix(seed + index);
        return index < 2 ? Psn.MASK - WRAP_DISTANCE - (random & 0x3F) : random & Psn.MASK;
    }

    LoopbackSide first() {
        return first;
    }

    LoopbackSide second() {
        return second;
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
