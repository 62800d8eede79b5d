package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A connect that throws is the end of it: no callback follows, and the client can be closed")
@Timeout(120)
class ConnectThrowsTest {
    private final List<ConnectionEnd> ends = new CopyOnWriteArrayList<>();
    private Pair pair;

    @BeforeEach
    void open() throws Exception {
        pair = new Pair();
        pair.client = new RxeClient(pair.clientNic);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace()).anyMatch(frame -> method.equals(frame.getMethodName()));
    }

    private static List<Thread> connectionThreads(Predicate<Thread> which) {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("rxe-client")).filter(which).toList();
    }

    @Test
    @DisplayName("the NIC is closed in the set-up, which its connection thread notices first")
    void theNicIsClosed() {
        assertThrows(IllegalStateException.class, () -> pair.client.connect(Pair.SERVER, Pair.PORT, set -> {
            set.onClosed(ends::add);
            pair.clientNic.close();
            while (!connectionThreads(thread -> isIn(thread, "await")).isEmpty()) {
                Thread.onSpinWait();
            }
        }));
        pair.client.close();
        assertEquals(List.of(), ends);
    }

    @Test
    @DisplayName("the set-up throws while the client is being closed, whose thread ends then")
    void theClientIsClosed() throws Exception {
        Thread closing = new Thread(pair.client::close);
        assertThrows(ArithmeticException.class, () -> pair.client.connect(Pair.SERVER, Pair.PORT, set -> {
            closing.start();
            while (!isIn(closing, "timedJoin")) {
                Thread.onSpinWait();
            }
            throw new ArithmeticException("planted");
        }));
        closing.join();
        assertEquals(List.of(), connectionThreads(Thread::isAlive));
    }
}
