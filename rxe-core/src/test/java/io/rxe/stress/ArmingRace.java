package io.rxe.stress;

import io.rxe.verbs.CompletionChannel;
import java.util.Map;

/** Arming: an application that arms and then polls either finds the completion or is notified of it. */
final class ArmingRace extends Race {
    private StressNic nic;
    private boolean found;
    private int notified;

    ArmingRace() {
        super("arming", Map.of("found by polling", Expectation.ACCEPTABLE, "notified", Expectation.ACCEPTABLE, "found and notified",
            Expectation.INTERESTING));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(CompletionChannel.calling(queue -> notified++));
        }
        // On the engine's thread: ready at once, so the poll of the race sends it.
        nic.postSend();
        notified = 0;
    }

    @Override
    protected void first() {
        nic.queue.requestNotification(false);
        found = nic.takeCompletion();
    }

    /** UC: the SEND completes when its packet has left. */
    @Override
    protected void second() {
        nic.poll();
        nic.poll();
    }

    @Override
    protected String outcome() {
        int told = notified;
        while (nic.poll() > 0) {
            // Nothing is left behind for the next round.
        }
        nic.takeSent();
        if (told == 0) {
            // Still armed: the next round must not begin so.
            disarm();
        }
        boolean left = nic.takeCompletion();
        if (found == left) {
            return found ? "two completions for one SEND" : "no completion";
        }
        if (told > 1) {
            return "notified twice";
        }
        return found ? told > 0 ? "found and notified" : "found by polling" : told > 0 ? "notified" : "lost: neither found nor notified";
    }

    private void disarm() {
        boolean before = found;
        nic.postSend();
        while (nic.poll() > 0) {
            // Notifies, which disarms.
        }
        nic.takeSent();
        nic.takeCompletion();
        found = before;
    }
}
