package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DispatcherTest {
    private final List<Throwable> reported = new ArrayList<>();

    @AfterEach
    void forget() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    @Test
    @DisplayName("an error that cannot be told either, for want of memory, holds up no end")
    void theEndArrivesBehindAnErrorThatIsNotTold() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
        // Without its parts: polling throws, and so does telling the connection.
        Dispatcher dispatcher = new Dispatcher(null, null, null, null, null);
        dispatcher.release();
        Throwable thrown = dispatcher.failure().cause();
        assertInstanceOf(NullPointerException.class, thrown);
        assertEquals(1, reported.size());
        List<String> seen = new ArrayList<>();
        dispatcher.finish(() -> seen.add("finished"));
        assertEquals(List.of("finished"), seen);
        assertSame(thrown, dispatcher.failure().cause());
    }
}
