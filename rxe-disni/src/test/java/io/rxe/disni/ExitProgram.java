package io.rxe.disni;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import java.nio.ByteBuffer;
import java.util.List;

/** A program whose shutdown hook sends a message, when all that rxe does in hooks is done. */
final class ExitProgram {
    private ExitProgram() {
    }

    /** Prints the status of the message, or an exception. */
    public static void main(String... arguments) throws Exception {
        Loop loop = new Loop();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> send(loop)));
    }

    private static void send(Loop loop) {
        try {
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (List.of("rxe-exit", "rxe-disni-exit").contains(thread.getName())) {
                    thread.join();
                }
            }
            IbvMr region = loop.register(ByteBuffer.allocateDirect(64));
            loop.receive(loop.server, 1, Loop.element(region, 0, 8));
            loop.client.getQp().postSend(List.of(Loop.send(IbvSendWR.IBV_WR_SEND, 2, Loop.element(region, 8, 8))), null).execute().free();
            System.out.println("at exit: " + loop.completion().getStatus() + " and " + loop.completion().getStatus());
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
        }
    }
}
