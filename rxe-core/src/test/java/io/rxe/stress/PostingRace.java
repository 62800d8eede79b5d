package io.rxe.stress;

import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.Map;

/** Posting: what two threads post to one queue pair is sent and completed once, that of each thread in its order. */
final class PostingRace extends Race {
    static final int POSTS = 4;
    static final long SECOND = 100;

    private final WorkRequest first = new WorkRequest().send();
    private final WorkRequest second = new WorkRequest().send();
    private final WorkCompletion completion = new WorkCompletion();
    private StressNic nic;

    PostingRace() {
        super("posting", Map.of("one after the other", Expectation.ACCEPTABLE, "mixed", Expectation.INTERESTING));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
        }
    }

    @Override
    protected void first() {
        post(first, 0);
    }

    @Override
    protected void second() {
        post(second, SECOND);
    }

    private void post(WorkRequest request, long firstId) {
        for (int i = 0; i < POSTS; i++) {
            if (!nic.pair.postSend(request.id(firstId + i))) {
                throw new IllegalStateException("the send queue is full");
            }
        }
    }

    @Override
    protected String outcome() {
        while (nic.poll() > 0) {
            // Sends and completes everything.
        }
        nic.takeSent();
        long nextOfFirst = 0;
        long nextOfSecond = SECOND;
        int changes = 0;
        boolean lastWasFirst = false;
        while (nic.queue.poll(completion)) {
            boolean isFirst = completion.workRequestId() == nextOfFirst;
            if (isFirst) {
                nextOfFirst++;
            } else if (completion.workRequestId() == nextOfSecond) {
                nextOfSecond++;
            } else {
                return "wrong: " + completion + " instead of " + nextOfFirst + " or " + nextOfSecond;
            }
            changes += isFirst == lastWasFirst ? 0 : 1;
            lastWasFirst = isFirst;
        }
        if (nextOfFirst != POSTS || nextOfSecond != SECOND + POSTS) {
            return "lost: " + nextOfFirst + " and " + (nextOfSecond - SECOND) + " of " + POSTS;
        }
        // The first change is from nobody to the first thread, or does not happen.
        return changes > 2 ? "mixed" : "one after the other";
    }
}
