package io.rxe.connect;

import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The messages of one connection: slots, credits, and who waits for them. Any thread sends; the other methods belong to the dispatching
 * thread.
 */
final class Messages {
    private final Endpoint endpoint;
    private final Credits credits;
    private final SlotPool slots;
    private final WorkRequest[] requests;
    private final ByteBuffer[] sendViews;
    private final ByteBuffer[] receiveViews;
    private final WorkRequest creditMessage = new WorkRequest();
    private final Outstanding outstanding;
    private int creditMessagesInFlight;
    private volatile int maxBytes;
    /** Whether a thread was refused since onWritable ran. */
    private volatile boolean refused;

    Messages(Endpoint endpoint, ConnectOptions options, Outstanding outstanding) {
        this.endpoint = endpoint;
        this.outstanding = outstanding;
        credits = new Credits(options.receiveDepth());
        slots = new SlotPool(options.sendDepth());
        maxBytes = options.messageBytes();
        requests = new WorkRequest[slots.size()];
        sendViews = new ByteBuffer[slots.size()];
        for (int slot = 0; slot < slots.size(); slot++) {
            requests[slot] = new WorkRequest();
            sendViews[slot] = endpoint.view(endpoint.messageOffset(slot));
        }
        receiveViews = new ByteBuffer[endpoint.receiveSlots()];
        for (int slot = 0; slot < receiveViews.length; slot++) {
            receiveViews[slot] = endpoint.receiveView(slot);
        }
    }

    void onGreeting(Greeting greeting) {
        maxBytes = Math.min(maxBytes, greeting.messageBytes());
        credits.onGreeting(greeting.receiveDepth());
    }

    int maxBytes() {
        return maxBytes;
    }

    PostStatus send(ByteBuffer message) {
        int length = message.remaining();
        if (length > maxBytes) {
            throw new IllegalArgumentException("message of " + length + " bytes > " + maxBytes + ", the smaller messageBytes of both sides:"
                + " raise messageBytes in the ConnectOptions, or move large data with one-sided operations");
        }
        // Without room this only reads, so that a thread that tries again and again does not slow down the one that makes room.
        PostStatus status = hasRoom() ? trySend(message, length) : refusal();
        if (status == PostStatus.FULL || status == PostStatus.NO_CREDITS) {
            if (!refused) {
                refused = true;
            }
            // What makes room may have been dispatched before the flag was set.
            if (hasRoom()) {
                status = trySend(message, length);
            }
        }
        return status;
    }

    private PostStatus refusal() {
        return !outstanding.isOpen() ? PostStatus.NOT_CONNECTED : slots.isEmpty() ? PostStatus.FULL : PostStatus.NO_CREDITS;
    }

    private PostStatus trySend(ByteBuffer message, int length) {
        if (!outstanding.begin()) {
            return PostStatus.NOT_CONNECTED;
        }
        int slot = slots.take();
        if (slot == SlotPool.NONE) {
            outstanding.end();
            return PostStatus.FULL;
        }
        if (!credits.tryTake()) {
            slots.release(slot);
            outstanding.end();
            return PostStatus.NO_CREDITS;
        }
        sendViews[slot].put(0, message, message.position(), length);
        boolean posted = false;
        try {
            posted = endpoint.queuePair.postSend(requests[slot].sendWithImmediate(credits.stampMessage())
                .id(Work.id(Work.MESSAGE, slot)).add(endpoint.region, endpoint.messageOffset(slot), length));
        } catch (IllegalStateException e) {
            // The queue pair or its NIC was closed; the end of the connection says why.
            return PostStatus.NOT_CONNECTED;
        } finally {
            if (!posted) {
                credits.giveBack();
                slots.release(slot);
                outstanding.end();
            }
        }
        return posted ? PostStatus.POSTED : PostStatus.FULL;
    }

    private boolean hasRoom() {
        return !slots.isEmpty() && credits.isAvailable();
    }

    /** Whether a thread was refused and would not be now; once. */
    boolean isWritableAgain() {
        if (refused && hasRoom()) {
            refused = false;
            return true;
        }
        return false;
    }

    /** Returns the message that arrived in a slot, or null for a credit message, whose receive is posted already. */
    ByteBuffer onArrival(int slot, int length, int immediate) {
        if (Credits.isCreditMessage(immediate)) {
            // Before the credits count: what is sent with them may bring the next credit message.
            endpoint.postReceive(slot);
            credits.onArrival(immediate);
            return null;
        }
        credits.onArrival(immediate);
        return receiveViews[slot].clear().limit(length).order(ByteOrder.BIG_ENDIAN);
    }

    /** The application has seen the message of a slot. */
    void onConsumed(int slot) {
        endpoint.postReceive(slot);
        credits.onReceivePosted();
    }

    void onSent(int slot) {
        slots.release(slot);
        outstanding.end();
    }

    void onCreditMessageSent() {
        creditMessagesInFlight--;
    }

    /** After a batch of completions: a peer that could run out of credits gets some. */
    void announceCredits() {
        if (creditMessagesInFlight < Endpoint.MAX_CREDIT_MESSAGES && credits.isCreditMessageDue()) {
            QueuePair pair = endpoint.queuePair;
            try {
                if (pair.postSend(creditMessage.sendWithImmediate(credits.stampCredits()).id(Work.id(Work.CREDIT_MESSAGE, 0)))) {
                    creditMessagesInFlight++;
                }
            } catch (IllegalStateException e) {
                // The queue pair or its NIC was closed: the peer needs no credits any more.
                return;
            }
        }
    }
}
