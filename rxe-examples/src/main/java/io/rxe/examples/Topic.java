package io.rxe.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Publish-subscribe: a topic is a multicast group, whose datagrams reach all who subscribed, once each or not at all.
 *
 * <pre>
 *   Topic 10.0.0.1 239.1.2.3              subscribes, and prints what arrives
 *   Topic 10.0.0.2 239.1.2.3 TEXT...      publishes
 * </pre>
 */
public final class Topic implements AutoCloseable {
    /** Longest message in bytes: it fits the smallest path. */
    public static final int MAX_BYTES = 1024;
    private static final int GRH_BYTES = 40;
    private static final int MULTICAST_QPN = 0xFF_FFFF;
    private static final int DEPTH = 256;
    private static final int SLOT_BYTES = GRH_BYTES + MAX_BYTES;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(DEPTH * SLOT_BYTES);
    private final WorkCompletion completion = new WorkCompletion();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Consumer<ByteBuffer> subscriber;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final AddressHandle group;
    /**
     * Opens a topic.
     * @param subscriber receives the messages, on the engine's thread; valid until it returns. Null for a publisher.
     */
    public Topic(RxeNic nic, Gid address, Consumer<ByteBuffer> subscriber) {
        this.subscriber = subscriber;
        domain = nic.device().allocateProtectionDomain();
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        completions = nic.device().createCompletionQueue(2 * DEPTH, CompletionChannel.calling(queue -> onArrival()));
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, completions, completions).withRequests(DEPTH, DEPTH)
            .withInline(MAX_BYTES));
        group = domain.createAddressHandle(AddressVector.to(address, nic.device().udpPort()));
        ConnectionService.prepare(queuePair);
        completions.requestNotification(false);
        if (subscriber != null) {
            for (int slot = 0; slot < DEPTH; slot++) {
                postReceive(slot);
            }
            queuePair.attachMulticast(address);
        }
    }

    private void postReceive(long slot) {
        queuePair.postReceive(receive.clear().id(slot).add(region, slot * SLOT_BYTES, SLOT_BYTES));
    }

    /** On the engine's thread: takes completions until none is left after the queue was armed. */
    private void onArrival() {
        boolean armed = false;
        while (true) {
            if (completions.poll(completion)) {
                armed = false;
                if (completion.isSuccess() && completion.hasGrh()) {
                    int at = (int) completion.workRequestId() * SLOT_BYTES;
                    subscriber.accept(memory.slice(at + GRH_BYTES, (int) completion.byteLength() - GRH_BYTES));
                    postReceive(completion.workRequestId());
                }
            } else if (armed) {
                return;
            } else {
                completions.requestNotification(false);
                armed = true;
            }
        }
    }

    /** Publishes a message of at most 1024 bytes; false if 256 are on their way, then try again. */
    public boolean publish(ByteBuffer message) {
        return queuePair.postSend(new WorkRequest().send().inline(message).to(group, MULTICAST_QPN, ConnectParameters.DEFAULT_QUEUE_KEY));
    }

    @Override
    public void close() {
        queuePair.close();
        completions.close();
        domain.close();
    }

    /** Runs one side; see above. */
    public static void main(String[] arguments) throws Exception {
        Usage.require(arguments, 2, "Topic LOCAL-ADDRESS GROUP-ADDRESS [TEXT...]");
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(arguments[0]));
             Topic topic = new Topic(nic, Gid.parse(arguments[1]), message -> System.out.println(UTF_8.decode(message)))) {
            for (int i = 2; i < arguments.length; i++) {
                topic.publish(UTF_8.encode(arguments[i]));
            }
            Thread.sleep(arguments.length > 2 ? 100 : Long.MAX_VALUE);
        }
    }
}
