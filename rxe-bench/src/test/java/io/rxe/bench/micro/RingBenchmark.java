package io.rxe.bench.micro;

import io.rxe.ring.Ring;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Control;

/** The ring between application and engine: used by one thread, which measures its instructions alone, and between two. */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class RingBenchmark {
    private static final int CAPACITY = 1024;

    /** An entry of the ring. */
    public static final class Entry {
        private long value;
    }

    /** A ring for one thread. */
    @State(Scope.Thread)
    public static class Alone {
        private final Ring<Entry> ring = new Ring<>(CAPACITY, Entry::new);
        private long number;
    }

    /** A ring for two. */
    @State(Scope.Group)
    public static class Shared {
        private final Ring<Entry> ring = new Ring<>(CAPACITY, Entry::new);
    }

    /** Counts the entries that passed the ring. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Passed {
        /** Entries taken. */
        public long entries;
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public long putAndTake(Alone alone) {
        alone.ring.claim().value = alone.number++;
        alone.ring.publish();
        long index = alone.ring.consumerIndex();
        long value = alone.ring.get(index).value;
        alone.ring.release(index + 1);
        return value;
    }

    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @Group("handOver")
    @GroupThreads(1)
    public void put(Shared shared, Control control) {
        Entry entry = shared.ring.claim();
        while (entry == null && !control.stopMeasurement) {
            Thread.onSpinWait();
            entry = shared.ring.claim();
        }
        if (entry != null) {
            entry.value++;
            shared.ring.publish();
        }
    }

    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @Group("handOver")
    @GroupThreads(1)
    public long take(Shared shared, Control control, Passed passed) {
        long index = shared.ring.consumerIndex();
        while (index == shared.ring.producerIndex()) {
            if (control.stopMeasurement) {
                return 0;
            }
            Thread.onSpinWait();
        }
        long value = shared.ring.get(index).value;
        shared.ring.release(index + 1);
        passed.entries++;
        return value;
    }
}
