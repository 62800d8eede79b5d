package io.rxe.stress;

import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.Map;

/** Polling: each completion is taken by one of two threads that poll one completion queue. */
final class PollingRace extends Race {
    private static final int COMPLETIONS = 8;
    private static final int LOOKS = 16;

    private final WorkRequest request = new WorkRequest().send();
    private final WorkCompletion ofFirst = new WorkCompletion();
    private final WorkCompletion[] ofSecond = {new WorkCompletion(), new WorkCompletion()};
    private StressNic nic;
    private long takenByFirst;
    private long takenBySecond;

    PollingRace() {
        super("polling", Map.of("all by one", Expectation.ACCEPTABLE, "shared", Expectation.INTERESTING));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
        }
        for (int i = 0; i < COMPLETIONS; i++) {
            nic.pair.postSend(request.id(i));
        }
        while (nic.poll() > 0) {
            // Sends and completes everything.
        }
        nic.takeSent();
        takenByFirst = 0;
        takenBySecond = 0;
    }

    @Override
    protected void first() {
        long taken = 0;
        for (int look = 0; look < LOOKS; look++) {
            if (nic.queue.poll(ofFirst)) {
                taken += bit(ofFirst);
            }
        }
        takenByFirst = taken;
    }

    /** Takes two at a time. */
    @Override
    protected void second() {
        long taken = 0;
        for (int look = 0; look < LOOKS; look++) {
            int count = nic.queue.poll(ofSecond);
            for (int i = 0; i < count; i++) {
                taken += bit(ofSecond[i]);
            }
        }
        takenBySecond = taken;
    }

    /** A byte for each completion, so that one taken twice shows. */
    private static long bit(WorkCompletion completion) {
        return 1L << Byte.SIZE * completion.workRequestId();
    }

    @Override
    protected String outcome() {
        long all = takenByFirst + takenBySecond;
        for (int i = 0; i < COMPLETIONS; i++) {
            long times = all >>> Byte.SIZE * i & 0xFF;
            if (times != 1) {
                return "completion " + i + " was taken " + times + " times";
            }
        }
        return takenByFirst == 0 || takenBySecond == 0 ? "all by one" : "shared";
    }
}
