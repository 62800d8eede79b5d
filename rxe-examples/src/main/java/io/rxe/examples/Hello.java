package io.rxe.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The smallest program over connection management: a client connects and sends one message to a server.
 *
 * <pre>
 *   Hello 127.0.0.1                 server: prints the message
 *   Hello 127.0.0.2 127.0.0.1       client of the server at 127.0.0.1
 * </pre>
 */
public final class Hello {
    private static final int PORT = 7471;
    private static final String MESSAGE = "hello, peer";

    private Hello() {
    }

    /** Runs one side; see above. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Usage.require(arguments, 1, "Hello LOCAL-ADDRESS [SERVER-ADDRESS]");
        System.out.println(run(RxeNicOptions.defaults(arguments[0]), arguments.length > 1 ? arguments[1] : null));
    }

    /**
     * Runs one side.
     *
     * @param server address or host name of the server, or null to be the server.
     * @return the message that was sent or received.
     * @throws IOException if the NIC cannot be opened, the server rejects the connection, or the message fails.
     */
    public static String run(RxeNicOptions options, String server) throws IOException, InterruptedException {
        try (RxeNic nic = RxeNic.open(options)) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            ByteBuffer memory = ByteBuffer.allocateDirect(64);
            MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE);
            CompletionQueue completions = nic.device().createCompletionQueue(8);
            QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
            ConnectionService.prepare(queuePair);
            CmEventChannel events = new CmEventChannel();
            boolean posted;
            if (server == null) {
                posted = queuePair.postReceive(new ReceiveRequest().add(region, 0, 64));
                nic.connections().listen(events, PortSpace.TCP, PORT);
                events.await(Long.MAX_VALUE).connection().accept(queuePair, new ConnectParameters());
            } else {
                nic.connections().connector(events).connect(queuePair, nic.resolve(server), PORT, new ConnectParameters());
                CmEvent event = events.await(Long.MAX_VALUE);
                if (event.type() != CmEvent.Type.ESTABLISHED) {
                    throw new IOException(event.explanation());
                }
                memory.put(0, MESSAGE.getBytes(UTF_8));
                posted = queuePair.postSend(new WorkRequest().send().add(region, 0, MESSAGE.length()));
            }
            WorkCompletion done = new WorkCompletion();
            while (posted && !completions.poll(done)) {
                Thread.onSpinWait();
            }
            if (!posted || !done.isSuccess()) {
                throw new IOException(posted ? done.explanation() : "the queue is full");
            }
            return UTF_8.decode(memory.slice(0, MESSAGE.length())).toString();
        }
    }
}
