package io.rxe.connect;

import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The messages of one connection: slots, credits, and who waits for them. Any thread sends; the other methods belong to the dispatching
 * thread.
 */
final class Messages {
    private static final int TOO_LONG = -1;

    private final Endpoint endpoint;
    private final MessageCredits credits;
    private final RequestSlots slots;
    private final WorkRequest[] requests;
    private final ByteBuffer[] sendViews;
    private final ByteBuffer[] receiveViews;
    private final WorkRequest creditMessage = new WorkRequest();
    private int creditMessagesInFlight;
    private volatile int maxBytes;

    /** @param onRoom runs on any thread when a message was given up for whose room another may have been refused. */
    Messages(Endpoint endpoint, ConnectOptions options, Outstanding outstanding, Runnable onRoom) {
        this.endpoint = endpoint;
        credits = new MessageCredits(options.receiveDepth());
        slots = new RequestSlots(options.sendDepth(), credits, outstanding, onRoom);
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
            throw tooLong("message of " + length, null);
        }
        int slot = slots.take();
        if (slot < 0) {
            return slots.refusal(slot);
        }
        try {
            sendViews[slot].clear().put(0, message, message.position(), length);
        } catch (Throwable e) {
            slots.abandon(slot);
            throw e;
        }
        return post(slot, length);
    }

    PostStatus sendInPlace(MessageWriter writer) {
        int slot = slots.take();
        if (slot < 0) {
            return slots.refusal(slot);
        }
        int length = TOO_LONG;
        try {
            ByteBuffer message = sendViews[slot].clear().limit(maxBytes).order(ByteOrder.BIG_ENDIAN);
            writer.write(message);
            if (message.position() > maxBytes) {
                throw tooLong("message of " + message.position(), null);
            }
            length = message.position();
        } catch (BufferOverflowException e) {
            throw tooLong("a buffer was full when the writer put more into it: message of more than " + maxBytes, e);
        } finally {
            if (length == TOO_LONG) {
                slots.abandon(slot);
            }
        }
        return post(slot, length);
    }

    private IllegalArgumentException tooLong(String length, Exception cause) {
        return new IllegalArgumentException(length + " bytes > " + maxBytes + ", the smaller messageBytes of both sides: raise messageBytes"
            + " in the ConnectOptions, or move large data with one-sided operations", cause);
    }

    private PostStatus post(int slot, int length) {
        WorkRequest request = requests[slot];
        long announcedBefore = credits.announced();
        long announcement = credits.announce(announcedBefore);
        if (announcement == MessageCredits.NOTHING) {
            request.send();
        } else {
            request.sendWithImmediate(MessageCredits.inMessage(announcement));
        }
        boolean posted = false;
        try {
            posted = endpoint.queuePair.postSend(request.id(Work.id(Work.MESSAGE, slot)).add(endpoint.region, endpoint.messageOffset(slot),
                length));
        } catch (IllegalStateException e) {
            // The queue pair or its NIC was closed; the end of the connection says why.
            return PostStatus.NOT_CONNECTED;
        } finally {
            if (!posted) {
                credits.withdraw(announcement, announcedBefore);
                slots.abandon(slot);
            }
        }
        return posted ? PostStatus.POSTED : PostStatus.FULL;
    }

    /** Whether a thread was refused and would not be now; once. */
    boolean isWritableAgain() {
        return slots.isWritableAgain();
    }

    /** A SEND arrived in a slot: returns the message, or null for a credit message, whose receive is posted already. */
    ByteBuffer onArrival(int slot, WorkCompletion completion) {
        if (completion.hasImmediate() && MessageCredits.isCreditMessage(completion.immediate())) {
            // Before the credits count: what is sent with them may bring the next credit message.
            endpoint.postReceive(slot);
            credits.onAnnouncement(completion.immediate());
            return null;
        }
        if (completion.hasImmediate()) {
            credits.onAnnouncement(completion.immediate());
        }
        return receiveViews[slot].clear().limit((int) completion.byteLength()).order(ByteOrder.BIG_ENDIAN);
    }

    /** Whether the message that {@link #onArrival} returned keeps to the credits. */
    boolean isAnnounced() {
        return credits.onMessage();
    }

    /** The application has seen the message of a slot. */
    void onConsumed(int slot) {
        endpoint.postReceive(slot);
        credits.onReceivePosted();
    }

    /** The messages of these completions were acknowledged. */
    void onSent(WorkCompletion[] completions, int from, int to) {
        slots.release(completions, from, to);
    }

    void onCreditMessageSent() {
        creditMessagesInFlight--;
    }

    /** After a batch of completions: a peer that could run out of credits gets some. */
    void announceCredits() {
        long before = credits.announced();
        long announcement = creditMessagesInFlight < Endpoint.MAX_CREDIT_MESSAGES
            ? credits.announceCredits(before) : MessageCredits.NOTHING;
        if (announcement == MessageCredits.NOTHING) {
            return;
        }
        QueuePair pair = endpoint.queuePair;
        try {
            if (pair.postSend(creditMessage
                .sendWithImmediate(MessageCredits.inCreditMessage(announcement)).id(Work.id(Work.CREDIT_MESSAGE, 0)))) {
                creditMessagesInFlight++;
            } else {
                credits.withdraw(announcement, before);
            }
        } catch (IllegalStateException e) {
            // The queue pair or its NIC was closed: the peer needs no credits any more.
            return;
        }
    }
}
