package io.rxe.connect;

import io.rxe.cm.ConnectionService;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import java.nio.ByteBuffer;

/**
 * The verbs of one connection: its queue pair, its completion queue, and one region with a slot for each receive, message and one-sided
 * operation. The send queue has room for all of them, so that a request that has a slot is never refused.
 */
final class Endpoint {
    /** Credit messages that may wait for their completion. */
    static final int MAX_CREDIT_MESSAGES = 4;
    private static final int SLOT_ALIGNMENT = 64;

    final QueuePair queuePair;
    final CompletionQueue completions;
    final MemoryRegion region;
    private final ConnectOptions options;
    private final int slotBytes;
    private final ReceiveRequest[] receives;
    private final ByteBuffer memory;

    /** @param onCompletions runs on the engine's thread when the queue was armed and has completions. */
    Endpoint(Device device, ProtectionDomain domain, ConnectOptions options, Runnable onCompletions) {
        this.options = options;
        this.slotBytes = (options.messageBytes() + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
        int sends = options.sendDepth() + options.oneSidedDepth() + MAX_CREDIT_MESSAGES;
        receives = new ReceiveRequest[options.receiveDepth() + Credits.EXTRA_RECEIVES];
        memory = ByteBuffer.allocateDirect((receives.length + options.sendDepth() + options.oneSidedDepth()) * slotBytes + SLOT_ALIGNMENT)
            .alignedSlice(SLOT_ALIGNMENT);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        CompletionQueue queue = null;
        QueuePair pair = null;
        boolean ready = false;
        try {
            queue = device.createCompletionQueue(sends + receives.length, CompletionChannel.calling(any -> onCompletions.run()));
            pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withRequests(sends, receives.length)
                .withElements(1, 1));
            ConnectionService.prepare(pair);
            queue.requestNotification(false);
            completions = queue;
            queuePair = pair;
            for (int slot = 0; slot < receives.length; slot++) {
                receives[slot] = new ReceiveRequest().id(Work.id(Work.RECEIVE, slot)).add(region, offsetOf(slot), options.messageBytes());
                pair.postReceive(receives[slot]);
            }
            ready = true;
        } finally {
            if (!ready) {
                close(pair, queue, region);
            }
        }
    }

    int receiveSlots() {
        return receives.length;
    }

    private long offsetOf(int slot) {
        return (long) slot * slotBytes;
    }

    long messageOffset(int slot) {
        return offsetOf(receives.length + slot);
    }

    long oneSidedOffset(int slot) {
        return offsetOf(receives.length + options.sendDepth() + slot);
    }

    /** The memory of a receive. */
    ByteBuffer receiveView(int slot) {
        return memory.slice((int) offsetOf(slot), slotBytes);
    }

    /** The memory at an offset of the region, as long as a message. */
    ByteBuffer view(long offset) {
        return memory.slice((int) offset, slotBytes);
    }

    /** Posts the receive of a slot anew; without effect when the connection has ended. */
    void postReceive(int slot) {
        try {
            queuePair.postReceive(receives[slot]);
        } catch (IllegalStateException e) {
            // The queue pair or its NIC was closed: nothing arrives any more.
            return;
        }
    }

    /** Outstanding requests get no completion any more. Not on an engine's thread. */
    void close() {
        close(queuePair, completions, region);
    }

    private static void close(QueuePair pair, CompletionQueue queue, MemoryRegion region) {
        if (pair != null) {
            pair.close();
        }
        if (queue != null) {
            queue.close();
        }
        region.close();
    }
}
