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
    /** What {@link #take} returns instead of a slot. */
    private static final int FULL = -1;
    private static final int NO_CREDITS = -2;
    private static final int CLOSED = -3;
    /** What {@link #tryTake} returns besides: another thread took what was free. */
    private static final int TAKEN = -4;
    /** What {@link #lacking} returns where there is room. */
    private static final int NOTHING = 0;
    private static final int TOO_LONG = -1;

    private final Endpoint endpoint;
    private final Credits credits;
    private final SlotPool slots;
    private final WorkRequest[] requests;
    private final ByteBuffer[] sendViews;
    private final ByteBuffer[] receiveViews;
    private final WorkRequest creditMessage = new WorkRequest();
    private final Outstanding outstanding;
    private final Runnable onRoom;
    private int creditMessagesInFlight;
    /** Acknowledged, and their slots not free yet. */
    private int sentMessages;
    private volatile int maxBytes;
    /** Whether a thread was refused since onWritable ran. */
    private volatile boolean refused;

    /** @param onRoom runs on any thread when a message was given up for whose room another may have been refused. */
    Messages(Endpoint endpoint, ConnectOptions options, Outstanding outstanding, Runnable onRoom) {
        this.onRoom = onRoom;
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
            throw tooLong("message of " + length, null);
        }
        int slot = take();
        if (slot < 0) {
            return refusal(slot);
        }
        boolean copied = false;
        try {
            sendViews[slot].clear().put(0, message, message.position(), length);
            copied = true;
        } finally {
            if (!copied) {
                abandon(slot);
            }
        }
        return post(slot, length);
    }

    PostStatus sendInPlace(MessageWriter writer) {
        int slot = take();
        if (slot < 0) {
            return refusal(slot);
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
                abandon(slot);
            }
        }
        return post(slot, length);
    }

    private IllegalArgumentException tooLong(String length, Exception cause) {
        return new IllegalArgumentException(length + " bytes > " + maxBytes + ", the smaller messageBytes of both sides: raise messageBytes"
            + " in the ConnectOptions, or move large data with one-sided operations", cause);
    }

    /** Takes a slot and a credit, or returns why not. */
    private int take() {
        // Without room this only reads, so that a thread that tries again and again does not slow down the one that makes room.
        int slot = lacking() == NOTHING ? tryTake() : TAKEN;
        while (slot == TAKEN) {
            if (!refused) {
                refused = true;
            }
            // What makes room may have been dispatched before the flag was set; and what another thread took for a moment is no room.
            // Where the flag was cleared meanwhile, onWritable has run already.
            int lacking = lacking();
            slot = lacking == NOTHING ? tryTake() : refused ? lacking : TAKEN;
        }
        return slot;
    }

    private int lacking() {
        return slots.isEmpty() ? FULL : credits.isAvailable() ? NOTHING : NO_CREDITS;
    }

    private int tryTake() {
        if (!outstanding.begin()) {
            return CLOSED;
        }
        int slot = slots.take();
        if (slot != SlotPool.NONE && credits.tryTake()) {
            return slot;
        }
        if (slot != SlotPool.NONE) {
            slots.release(slot);
        }
        outstanding.end();
        return TAKEN;
    }

    private PostStatus refusal(int why) {
        return why == CLOSED || !outstanding.isOpen() ? PostStatus.NOT_CONNECTED : why == FULL ? PostStatus.FULL : PostStatus.NO_CREDITS;
    }

    /** Gives back what {@link #take} took. Who was refused meanwhile is called: no completion follows that would do it. */
    private void abandon(int slot) {
        credits.giveBack();
        slots.release(slot);
        outstanding.end();
        if (refused) {
            onRoom.run();
        }
    }

    private PostStatus post(int slot, int length) {
        WorkRequest request = requests[slot];
        long announcedBefore = credits.announced();
        long announcement = credits.announce(announcedBefore);
        if (announcement == Credits.NOTHING) {
            request.send();
        } else {
            request.sendWithImmediate(Credits.inMessage(announcement));
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
                abandon(slot);
            }
        }
        return posted ? PostStatus.POSTED : PostStatus.FULL;
    }

    /** Whether a thread was refused and would not be now; once. */
    boolean isWritableAgain() {
        if (refused && lacking() == NOTHING) {
            refused = false;
            return true;
        }
        return false;
    }

    /** A SEND arrived in a slot: returns the message, or null for a credit message, whose receive is posted already. */
    ByteBuffer onArrival(int slot, WorkCompletion completion) {
        if (completion.hasImmediate() && Credits.isCreditMessage(completion.immediate())) {
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

    /** A message was acknowledged. Its slot is free after {@link #releaseSent}. */
    void onSent(int slot) {
        slots.hold(slot);
        sentMessages++;
    }

    /** Before the application is called, and after a batch of completions: the slots of acknowledged messages are free. */
    void releaseSent() {
        if (sentMessages != 0) {
            int number = sentMessages;
            sentMessages = 0;
            slots.releaseHeld();
            outstanding.end(number);
        }
    }

    void onCreditMessageSent() {
        creditMessagesInFlight--;
    }

    /** After a batch of completions: a peer that could run out of credits gets some. */
    void announceCredits() {
        long before = credits.announced();
        long announcement = creditMessagesInFlight < Endpoint.MAX_CREDIT_MESSAGES ? credits.announceCredits(before) : Credits.NOTHING;
        if (announcement == Credits.NOTHING) {
            return;
        }
        QueuePair pair = endpoint.queuePair;
        try {
            if (pair.postSend(creditMessage.sendWithImmediate(Credits.inCreditMessage(announcement)).id(Work.id(Work.CREDIT_MESSAGE, 0)))) {
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
