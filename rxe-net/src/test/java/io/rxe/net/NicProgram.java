package io.rxe.net;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A program of its own that opens a NIC of two engines with memory and queues. {@link PrerequisitesTest} starts it with other options. */
final class NicProgram {
    static final String OPENED = "opened";

    private NicProgram() {
    }

    /** Prints {@link #OPENED}, or the message with which opening failed. */
    public static void main(String[] arguments) {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1")).withEngines(2)
            .withCounterFile(false);
        try (RxeNic nic = RxeNic.open(options)) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            domain.register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE);
            CompletionQueue completions = nic.device().createCompletionQueue(8);
            domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
            System.out.println(OPENED);
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }
}
