package io.rxe.sim;

import io.rxe.device.Engine;
import io.rxe.port.EngineThread;
import java.util.ArrayDeque;

/** Drives one engine of a NIC as rxe-net would: polls it shortly after each input and at each deadline. */
final class SimulatedEngine implements EngineThread {
    private final VirtualTime time;
    private final SeededRandom random;
    private final boolean isApplicationOnEngine;
    private final int pollDelayNs;
    private final LatestEvents latestEvents = new LatestEvents();
    private Engine engine;
    private SimulatedSink sink;
    private long pollAtNs = Long.MAX_VALUE;
    /** What the file system does, in order, and when each is done. */
    private final ArrayDeque<FileWork> fileWork = new ArrayDeque<>();
    private long fileIdleNs;

    private record FileWork(long doneNs, Runnable work) {
    }

    /**
     * @param isApplicationOnEngine whether the application posts from the thread of this engine. This decides only how posts reach the
     *                              engine: the simulation runs the application in both cases.
     * @param pollDelayNs           longest time between an input and the poll that follows.
     */
    SimulatedEngine(VirtualTime time, SeededRandom random, boolean isApplicationOnEngine, int pollDelayNs) {
        this.time = time;
        this.random = random;
        this.isApplicationOnEngine = isApplicationOnEngine;
        this.pollDelayNs = pollDelayNs;
    }

    /** Sets what it drives; before the first input. */
    void drive(Engine newEngine, SimulatedSink newSink) {
        engine = newEngine;
        engine.observe(latestEvents);
        sink = newSink;
    }

    Engine engine() {
        return engine;
    }

    LatestEvents latestEvents() {
        return latestEvents;
    }

    SimulatedSink sink() {
        return sink;
    }

    @Override
    public void call(Runnable command) {
        command.run();
        pollSoon();
    }

    @Override
    public boolean isCurrent() {
        return isApplicationOnEngine;
    }

    @Override
    public void report(String where, Throwable fault) {
        throw new SimulationFailure(where + " failed", fault);
    }

    @Override
    public void wake() {
        pollSoon();
    }

    /** The file system needs up to 0.2 ms for each work. */
    @Override
    public void offload(Runnable work) {
        fileIdleNs = Math.max(fileIdleNs, time.nowNs()) + random.between(1_000, 200_000);
        fileWork.add(new FileWork(fileIdleNs, work));
    }

    void pollSoon() {
        pollAtNs = Math.min(pollAtNs, time.nowNs() + random.between(0, pollDelayNs));
    }

    long nextPollNs() {
        return fileWork.isEmpty() ? pollAtNs : Math.min(pollAtNs, fileWork.peek().doneNs);
    }

    void poll(long nowNs) {
        while (!fileWork.isEmpty() && fileWork.peek().doneNs <= nowNs) {
            fileWork.remove().work.run();
        }
        if (pollAtNs > nowNs) {
            return;
        }
        pollAtNs = Long.MAX_VALUE;
        sink.begin(nowNs);
        int work = engine.poll(nowNs, sink);
        long deadline = engine.nextDeadlineNs();
        long next = deadline <= nowNs ? nowNs + random.between(200, 3000) : deadline;
        if (work > 0) {
            next = Math.min(next, nowNs + random.between(100, 1000));
        }
        pollAtNs = Math.min(pollAtNs, next);
    }
}
