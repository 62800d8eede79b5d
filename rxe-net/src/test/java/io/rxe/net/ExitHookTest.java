package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExitHookTest {
    private static final IllegalStateException FAILURE = new IllegalStateException("planted");

    @Test
    @DisplayName("where the process may start no thread, each NIC ends its connections, also after one that fails, which is reported")
    void noThread() throws Exception {
        List<String> ended = new ArrayList<>();
        List<Throwable> reported = new ArrayList<>();
        Thread hook = new Thread(() -> ExitHook.endEach(List.of("one", "two", "three"), nic -> {
            ended.add(nic);
            if ("one".equals(nic)) {
                throw FAILURE;
            }
        }, ending -> {
            throw new OutOfMemoryError("unable to create native thread: planted");
        }));
        hook.setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        hook.start();
        hook.join();
        assertEquals(List.of("one", "two", "three"), ended);
        assertEquals(List.of(FAILURE), reported);
    }
}
