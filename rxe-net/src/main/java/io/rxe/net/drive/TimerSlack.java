package io.rxe.net.drive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How late a timed wait of a thread may end: by default the kernel ends several waits at once, up to 50 us late. */
final class TimerSlack {
    private TimerSlack() {
    }

    /** Waits of the calling thread end on time from now on, so that paced packets leave when they are due. Needs no privilege. */
    static void end() {
        try {
            // A link to /proc/PID/task/TID, which lacks the file that /proc/TID has.
            Path thread = Path.of("/proc/thread-self").toRealPath();
            Files.writeString(Path.of("/proc").resolve(thread.getFileName()).resolve("timerslack_ns"), "1");
        } catch (IOException | RuntimeException e) {
            // Without /proc, waits end as late as those of other threads.
            return;
        }
    }
}
