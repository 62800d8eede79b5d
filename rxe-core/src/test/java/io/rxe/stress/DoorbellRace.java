package io.rxe.stress;

import java.util.Map;

/** The doorbell: whatever the application posts while the engine polls is sent by this poll or by one the doorbell asks for. */
final class DoorbellRace extends Race {
    private static final int POSTS = 2;

    private StressNic nic;
    private int sentAtOnce;

    DoorbellRace() {
        super("doorbell", Map.of("none at once, both later", Expectation.ACCEPTABLE, "one at once, one later", Expectation.INTERESTING,
            "both at once", Expectation.ACCEPTABLE));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
        }
    }

    @Override
    protected void first() {
        for (int i = 0; i < POSTS; i++) {
            if (!nic.postSend()) {
                throw new IllegalStateException("the send queue is full");
            }
        }
    }

    /** As often as a loop that goes to sleep: until nothing came of it. */
    @Override
    protected void second() {
        nic.poll();
        nic.poll();
        sentAtOnce = nic.takeSent();
    }

    @Override
    protected String outcome() {
        while (nic.poll() > 0) {
            // What the doorbell asked for.
        }
        int later = nic.takeSent();
        while (nic.takeCompletion()) {
            // The completion queue must not run full.
        }
        if (sentAtOnce + later != POSTS) {
            return "lost: " + sentAtOnce + " at once, " + later + " later";
        }
        return sentAtOnce == 0 ? "none at once, both later" : later == 0 ? "both at once" : "one at once, one later";
    }
}
