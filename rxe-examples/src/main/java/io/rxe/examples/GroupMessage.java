package io.rxe.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Datagrams to a multicast group, and a shared receive queue. */
public final class GroupMessage {
    private static final int LENGTH = 1024;

    private GroupMessage() {
    }

    /**
     * Joins a group and waits for a message.
     *
     * @param joined runs when a message can be sent.
     */
    public static String receive(RxeNicOptions options, Gid group, Runnable joined) throws IOException {
        // api.md: group member begins
        try (RxeNic nic = RxeNic.open(options)) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            ByteBuffer memory = ByteBuffer.allocateDirect(LENGTH);
            MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE);
            CompletionQueue completions = nic.device().createCompletionQueue(8);
            SharedReceiveQueue receives = domain.createSharedReceiveQueue(8, 1);
            QueuePair queuePair = domain.createQueuePair(
                QueuePairConfig.of(QueuePairType.UD, completions, completions).withSharedReceiveQueue(receives));
            ConnectionService.prepare(queuePair);
            queuePair.attachMulticast(group);
            if (!receives.postReceive(new ReceiveRequest().add(region, 0, LENGTH))) {
                throw new IOException("the shared receive queue is full");
            }
            joined.run();
            WorkCompletion message = new WorkCompletion();
            while (!completions.poll(message)) {
                Thread.onSpinWait();
            }
            if (!message.isSuccess()) {
                throw new IOException(message.explanation());
            }
            return UTF_8.decode(memory.slice(message.dataOffset(), (int) message.dataLength())).toString();
        }
        // api.md: group member ends
    }

    /** Sends a message to a group. */
    public static void send(RxeNicOptions options, Gid group, String text) throws IOException {
        try (RxeNic nic = RxeNic.open(options)) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            CompletionQueue completions = nic.device().createCompletionQueue(8);
            QueuePair queuePair = domain.createQueuePair(
                QueuePairConfig.of(QueuePairType.UD, completions, completions).withInline(256));
            ConnectionService.prepare(queuePair);
            AddressHandle members = domain.createAddressHandle(AddressVector.to(group, nic.device().udpPort()));
            WorkRequest message = new WorkRequest().send().inline(UTF_8.encode(text))
                .toGroup(members, ConnectParameters.DEFAULT_QUEUE_KEY);
            if (!queuePair.postSend(message)) {
                throw new IOException("the send queue is full");
            }
            WorkCompletion sent = new WorkCompletion();
            while (!completions.poll(sent)) {
                Thread.onSpinWait();
            }
            if (!sent.isSuccess()) {
                throw new IOException(sent.explanation());
            }
        }
    }
}
