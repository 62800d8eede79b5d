package io.rxe.net.process;

import java.util.Map;

/** Says at the end of a process, if it asked for it, how often each fault at the verbs was made, and which expectation was met. */
public final class FaultReport {
    private FaultReport() {
    }

    /** @param counts of the NIC, {@code RxeNic.verbsFaults}. */
    public static void say(Map<String, Long> counts) {
        counts.forEach((words, count) -> Sentences.verbose(() -> (words.startsWith("expect ") ? "met " : "made ") + count
            + (count == 1 ? " time: " : " times: ") + words));
    }
}
