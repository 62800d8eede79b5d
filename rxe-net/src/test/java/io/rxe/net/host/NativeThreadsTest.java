package io.rxe.net.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NativeThreadsTest {
    private final List<Thread> made = new ArrayList<>();

    /** A thread whose start is refused, as at the limit of the system, once {@code most} threads were made before it. */
    private Thread thread(Runnable work, int most) {
        Thread thread = new Thread(work) {
            @Override
            public void start() {
                if (made.size() > most) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
        made.add(thread);
        return thread;
    }

    @Test
    @DisplayName("too few threads are an error that names need, limit and remedy, and none of them stays")
    void tooFew() {
        IOException refusal = assertThrows(IOException.class, () -> NativeThreads.require(4, work -> thread(work, 3)));
        assertEquals("a NIC of 4 engines needs 6 threads, and the system refuses all but 3 (unable to create native thread): raise the"
            + " limit of threads (ulimit -u, or pids.max of the cgroup), or end some", refusal.getMessage());
        made.forEach(thread -> assertFalse(thread.isAlive()));
    }

    @Test
    @DisplayName("as many as are needed are no error, and none of them stays")
    void enough() throws IOException {
        NativeThreads.require(1, work -> thread(work, 3));
        assertEquals(3, made.size());
        made.forEach(thread -> assertFalse(thread.isAlive()));
    }
}
