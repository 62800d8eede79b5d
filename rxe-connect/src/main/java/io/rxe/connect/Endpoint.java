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
    private static final int CACHE_LINE = 64;

    final QueuePair queuePair;
    final CompletionQueue completions;
    final MemoryRegion region;
    private final ConnectOptions options;
    /** An odd number of cache lines: slots at a distance of a power of two would share a few sets of the cache. */
    private final int slotBytes;
    private final int receiveSlots;
    /** Dispatching thread. */
    private final ReceiveRequest receive = new ReceiveRequest();
    private final ByteBuffer memory;

    /** @param onCompletions runs on the engine's thread when the queue was armed and has completions. */
    Endpoint(Device device, ProtectionDomain domain, ConnectOptions options, Runnable onCompletions) {
        this.options = options;
        this.slotBytes = ((options.messageBytes() + CACHE_LINE - 1) / CACHE_LINE | 1) * CACHE_LINE;
        int sends = options.sendDepth() + options.oneSidedDepth() + MAX_CREDIT_MESSAGES;
        receiveSlots = options.receiveDepth() + MessageCredits.EXTRA_RECEIVES;
        memory = ByteBuffer.allocateDirect((receiveSlots + options.sendDepth() + options.oneSidedDepth()) * slotBytes + CACHE_LINE)
            .alignedSlice(CACHE_LINE);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        CompletionQueue queue = null;
        QueuePair pair = null;
        try {
            queue = device.createCompletionQueue(sends + receiveSlots, CompletionChannel.calling(any -> onCompletions.run()));
            pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withRequests(sends, receiveSlots)
                .withElements(1, 1));
            ConnectionService.prepare(pair);
            queue.requestNotification(false);
            completions = queue;
            queuePair = pair;
            for (int slot = 0; slot < receiveSlots; slot++) {
                pair.postReceive(receiveInto(slot));
            }
        } catch (Throwable e) {
            close(pair, queue, region);
            throw e;
        }
    }

    private ReceiveRequest receiveInto(int slot) {
        return receive.clear().id(Work.id(Work.RECEIVE, slot)).add(region, offsetOf(slot), options.messageBytes());
    }

    int receiveSlots() {
        return receiveSlots;
    }

    private long offsetOf(int slot) {
        return (long) slot * slotBytes;
    }

    long messageOffset(int slot) {
        return offsetOf(receiveSlots + slot);
    }

    long oneSidedOffset(int slot) {
        return offsetOf(receiveSlots + options.sendDepth() + slot);
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
            queuePair.postReceive(receiveInto(slot));
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
