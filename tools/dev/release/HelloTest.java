package hello;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.connect.PostStatus;
import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeConnection;
import io.rxe.connect.RxeServer;
import io.rxe.junit.FreePort;
import io.rxe.junit.RxeNics;
import io.rxe.net.RxeNic;
import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A test of a project outside the checkout: messages over a network that loses some packets. */
class HelloTest {
    private static final int MESSAGES = 1000;

    @Test
    @RxeNics(value = 2, fault = "loss 1%")
    void allMessagesArriveInOrder(RxeNic here, RxeNic there, @FreePort int port) throws Exception {
        LinkedBlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
        try (RxeServer server = RxeServer.listen(here, port, set -> set.onMessage((from, message) -> arrived.add(message.getInt())));
             RxeClient client = new RxeClient(there)) {
            RxeConnection connection = client.connect(here.localInterface().address().getHostAddress(), port, set -> { }).connected().get();
            for (int number = 0; number < MESSAGES; number++) {
                ByteBuffer message = ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
                while (connection.send(message) != PostStatus.POSTED) {
                    Thread.yield();
                }
            }
            for (int number = 0; number < MESSAGES; number++) {
                assertEquals(number, arrived.poll(60, TimeUnit.SECONDS));
            }
        }
        System.out.println("lost " + there.countersByName().get("fault_lost") + " packets, arrived all " + MESSAGES + " messages");
    }
}
