package io.rxe.connect;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A connection with messages and one-sided operations. From {@link RxeServer} and {@link RxeClient}, whose set-up callback gives it its
 * callbacks.
 *
 * <p>Any thread may call any method, unless it says otherwise. {@link #send}, {@link #oneSided} and {@link #close} never block. Callbacks
 * never run two at a time. {@code onMessage} and {@code onWritable} run on the thread of the engine that owns the queue pair, in the
 * middle of its work; on the connection thread for what arrived before the connection was established or is left at its end, and after
 * a call that threw after it had taken room. They must not block, nor create, modify or close other resources. {@code onClosed} runs on
 * the connection thread, last and exactly once.
 */
public final class RxeConnection implements AutoCloseable {
    /** Receives messages. */
    @FunctionalInterface
    public interface MessageHandler {
        /**
         * A message of the peer arrived.
         *
         * @param message from position 0 to limit, big-endian; valid until this returns, then its memory receives another message. What it
         *                throws ends the connection.
         */
        void onMessage(RxeConnection connection, ByteBuffer message);
    }

    private final ConnectionThread thread;
    private final Gid peer;
    private final int peerPort;
    private final boolean isAccepting;
    private final CompletableFuture<RxeConnection> connected;
    private final CompletableFuture<ConnectionEnd> closed;
    private final Outstanding outstanding = new Outstanding(this::closeSoon);
    private final AtomicBoolean closing = new AtomicBoolean();
    private final EndGate gate;
    private final SetUp setUp = new SetUp();
    private MessageHandler onMessage = (connection, message) -> { };
    /** Null where the dispatching thread runs onMessage. */
    private Executor executor;
    private Consumer<RxeConnection> onWritable = connection -> { };
    private Consumer<ConnectionEnd> onClosed = end -> { };
    private ConnectOptions options;
    private String rejection;
    private Endpoint endpoint;
    private Messages messages;
    private OneSidedRequests requests;
    private OneSided oneSided;
    private volatile Dispatcher dispatcher;
    private volatile byte[] peerData;
    private volatile CmConnection managed;
    private volatile Object attachment;

    RxeConnection(ConnectionThread thread, Gid peer, int peerPort, boolean isAccepting, byte[] peerData, ConnectOptions options) {
        this.thread = thread;
        this.peer = peer;
        this.peerPort = peerPort;
        this.isAccepting = isAccepting;
        this.gate = new EndGate(isAccepting);
        this.peerData = peerData;
        this.options = options;
        connected = new GuardedFuture<>(() -> thread.isCallback() || setUp.isHere());
        closed = new GuardedFuture<>(() -> thread.isCallback() || isHandling());
    }

    /**
     * Sets who receives messages; without it they are discarded. In the set-up callback only.
     *
     * @throws IllegalStateException after the set-up callback.
     */
    public RxeConnection onMessage(MessageHandler handler) {
        checkSetUp("onMessage");
        onMessage = Objects.requireNonNull(handler, "the handler of messages is null: give one, or leave it out");
        return this;
    }

    /**
     * Sets who receives messages, on a thread of an executor, where the handler may block. Messages still come one at a time and in order,
     * and none is copied; the peer waits when as many as {@link ConnectOptions#receiveDepth} are not handled. The other callbacks may run
     * meanwhile, also on this executor. In the set-up callback only.
     *
     * @param on what it refuses ends the connection.
     * @throws IllegalStateException after the set-up callback.
     */
    public RxeConnection onMessage(MessageHandler handler, Executor on) {
        executor = Objects.requireNonNull(on, "the executor of onMessage is null: give one, or leave it out");
        return onMessage(handler);
    }

    /**
     * Sets what runs when a message or one-sided operation that was refused with NO_CREDITS or FULL may succeed now. In the set-up
     * callback only.
     *
     * @throws IllegalStateException after the set-up callback.
     */
    public RxeConnection onWritable(Consumer<RxeConnection> handler) {
        checkSetUp("onWritable");
        onWritable = Objects.requireNonNull(handler, "the handler of onWritable is null: give one, or leave it out");
        return this;
    }

    /**
     * Sets what runs when the connection has ended, for whatever reason, also if it was never established. In the set-up callback only.
     * No other callback follows. What it throws goes to the uncaught exception handler of the connection thread, which continues.
     *
     * @throws IllegalStateException after the set-up callback.
     */
    public RxeConnection onClosed(Consumer<ConnectionEnd> handler) {
        checkSetUp("onClosed");
        onClosed = Objects.requireNonNull(handler, "the handler of the end is null: give one, or leave it out");
        return this;
    }

    /**
     * Sets the options of this connection instead of those of the server, for example for private data of its own. In the set-up callback
     * of a server only.
     *
     * @throws IllegalArgumentException for options that need more than 1 GiB of buffers.
     * @throws IllegalStateException    after the set-up callback, and on a client.
     */
    public RxeConnection answer(ConnectOptions answer) {
        checkSetUp("answer");
        checkAccepting("answered");
        options = Objects.requireNonNull(answer, "the options are null: start from ConnectOptions.defaults()").used();
        return this;
    }

    /**
     * Rejects the request of the peer when the set-up callback returns. In the set-up callback of a server only.
     *
     * @param why for the peer, which finds it in the explanation of its end; what exceeds 148 bytes of UTF-8 is cut off.
     * @throws IllegalStateException after the set-up callback, and on a client.
     */
    public void reject(String why) {
        checkSetUp("reject");
        checkAccepting("rejected");
        rejection = Objects.requireNonNull(why, "the reason of the rejection is null: give a sentence, or an empty string");
    }

    private void checkSetUp(String what) {
        if (setUp.isOver()) {
            throw new IllegalStateException(what + " after the set-up of " + this + ", when events may have come already: call it in the"
                + " callback given to RxeServer.listen or RxeClient.connect");
        }
    }

    private void checkAccepting(String what) {
        if (!isAccepting) {
            throw new IllegalStateException("this side requests the connection with " + peer + ", and only requests of peers can be " + what
                + ": throw an exception in the set-up callback to give up");
        }
    }

    /**
     * Completes when the connection is established, on the connection thread; fails with IOException if it ends before. In a callback
     * {@code get} and {@code join} throw {@link IllegalStateException} unless it is complete.
     */
    public CompletableFuture<RxeConnection> connected() {
        return connected.copy();
    }

    /** Completes after {@code onClosed} with the same end, on the connection thread. To wait for it: as {@link #connected}. */
    public CompletableFuture<ConnectionEnd> closed() {
        return closed.copy();
    }

    /** Whether messages can be sent. */
    public boolean isOpen() {
        return outstanding.isOpen();
    }

    /** Address of the peer. */
    public Gid peer() {
        return peer;
    }

    /** Port of the service this side requested; for a request of the peer, the port the peer claims to come from. */
    public int peerPort() {
        return peerPort;
    }

    /** A copy of the private data of the peer's application; of 0 bytes on a client before it is connected. */
    public byte[] peerData() {
        return peerData.clone();
    }

    /** What the application attached, or null. */
    public Object attachment() {
        return attachment;
    }

    /** Attaches an object of the application, for example a session; null for none. */
    public RxeConnection attachment(Object object) {
        attachment = object;
        return this;
    }

    /** Longest message that can be sent, in bytes: the smaller {@link ConnectOptions#messageBytes} of both sides once connected. */
    public int maxMessageBytes() {
        return ready(messages).maxBytes();
    }

    /**
     * Sends a message. It is copied, so that the buffer may be reused at once.
     *
     * @param message from position to limit, at most {@link #maxMessageBytes}; its position does not change.
     * @return POSTED, or why not; after NO_CREDITS and FULL {@code onWritable} follows.
     * @throws IllegalArgumentException for a message that is too long.
     */
    public PostStatus send(ByteBuffer message) {
        Objects.requireNonNull(message, "the message is null: give a buffer, of 0 bytes for an empty message");
        return messages == null ? PostStatus.NOT_CONNECTED : messages.send(message);
    }

    /**
     * Sends a message that {@code writer} writes directly into the send buffer, without a copy. Otherwise as {@link #send}; the writer
     * does not run unless there is room.
     *
     * @return POSTED, or why not; after NO_CREDITS and FULL {@code onWritable} follows.
     * @throws IllegalArgumentException for a message that is too long.
     */
    public PostStatus sendInPlace(MessageWriter writer) {
        Objects.requireNonNull(writer, "the writer is null: give one, or send a buffer");
        return messages == null ? PostStatus.NOT_CONNECTED : messages.sendInPlace(writer);
    }

    /**
     * READ, WRITE and atomics on the memory of the peer.
     *
     * @throws IllegalStateException in the set-up callback.
     */
    public OneSided oneSided() {
        return ready(oneSided);
    }

    /**
     * Registers memory in the domain of the connection, which all connections of its server or client share. The region ends with these,
     * or when it is closed. Not on an engine's thread.
     *
     * @param buffer direct or mapped, from position to limit.
     * @param access {@link io.rxe.verbs.AccessFlags}, combined with {@code |}.
     */
    public MemoryRegion register(ByteBuffer buffer, int access) {
        return thread.domain().register(buffer, access);
    }

    /** The domain of all connections of its server or client. */
    public ProtectionDomain domain() {
        return thread.domain();
    }

    /**
     * The queue pair: for its state, number and statistics. It belongs to the connection: requests that the application posts itself
     * have completions that this package does not expect.
     *
     * @throws IllegalStateException in the set-up callback.
     */
    public QueuePair queuePair() {
        return ready(endpoint).queuePair;
    }

    /**
     * The completion queue of the queue pair, which this package polls.
     *
     * @throws IllegalStateException in the set-up callback.
     */
    public CompletionQueue completionQueue() {
        return ready(endpoint).completions;
    }

    private <T> T ready(T part) {
        if (part == null) {
            throw new IllegalStateException("the connection with " + peer + " has no queue pair before its set-up callback has returned:"
                + " call this afterwards, for example in connected()");
        }
        return part;
    }

    /**
     * Ends the connection as soon as the peer has acknowledged what was sent, or retries have run out. New messages and one-sided
     * operations are refused at once. {@code onClosed} follows; this does not wait. In the set-up callback it gives the connection up.
     * Idempotent.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            outstanding.close();
        }
    }

    /** Ends the connection at once: a callback threw, or the peer breaks the protocol. Any thread. */
    void abort() {
        thread.execute(this::endHere);
    }

    /** Closed, and nothing is in flight. Any thread. */
    private void closeSoon() {
        if (setUp.isOver()) {
            thread.execute(this::endHere);
        }
    }

    private void endHere() {
        end(new ConnectionEnd(ConnectionEnd.Reason.CLOSED_HERE, ""));
    }

    /** Runs the set-up callback, and makes the verbs. False if the application gave the connection up. */
    boolean setUp(Consumer<RxeConnection> callback) {
        callback.accept(this);
        if (rejection == null && !closing.get()) {
            endpoint = new Endpoint(thread.nic().device(), thread.domain(), options, this::onCompletions);
            messages = new Messages(endpoint, options, outstanding, this::dispatchSoon);
            requests = new OneSidedRequests(endpoint, options, outstanding, this::dispatchSoon);
            oneSided = new OneSided(requests, options.messageBytes(), thread::isDriver);
            dispatcher = new Dispatcher(this, endpoint, messages, requests, executor);
        }
        setUp.end();
        // Also what was closed meanwhile: before this it waits for the answer given here.
        return rejection == null && !closing.get();
    }

    /** On a client: connect did not throw. What ended before this ends now, and what closed before the request, which has null. */
    void begun(CmConnection connection) {
        managed = connection;
        ConnectionEnd before = gate.open();
        if (before != null) {
            thread.execute(() -> end(before));
        } else if (closing.get()) {
            abort();
        }
    }

    /** On a client: the set-up or the request threw, so that there never was a connection. No callback runs. */
    void discard(Throwable why) {
        thread.forget(this);
        try {
            if (endpoint != null) {
                endpoint.close();
            }
        } finally {
            connected.completeExceptionally(new IOException("no connection with " + peer + " port " + peerPort + ": connect threw " + why,
                why));
            closed.complete(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "connect threw " + why, why));
        }
    }

    /** Connection thread, on the accepting side: from the request to the REP. */
    void accept(CmConnection request, Greeting greeting, Consumer<RxeConnection> callback) {
        managed = request;
        request.attachment(this);
        ConnectionEnd failed = null;
        try {
            if (setUp(callback)) {
                // Before the REP leaves, because the answer to it may be a message, and that may be answered.
                messages.onGreeting(greeting);
                outstanding.open();
                dispatcher.release();
                request.accept(endpoint.queuePair, options.parameters());
                return;
            }
            failed = rejection == null ? new ConnectionEnd(ConnectionEnd.Reason.CLOSED_HERE, "")
                : new ConnectionEnd(ConnectionEnd.Reason.REJECTED, rejection);
        } catch (Throwable e) {
            failed = ConnectionEnd.threw("accepting threw", e);
            throw e;
        } finally {
            if (failed != null) {
                setUp.end();
                byte[] why = ConnectionEnd.reasonBytes(rejection == null ? "" : rejection);
                ConnectionThread.guarded(() -> request.reject(why));
                end(failed);
            }
        }
    }

    /** Any thread: a message was given up, so that others have room. */
    private void dispatchSoon() {
        thread.execute(this::onCompletions);
    }

    /** Engine of the queue pair; connection thread. */
    private void onCompletions() {
        Dispatcher running = dispatcher;
        if (running != null) {
            running.run();
        }
    }

    /** Dispatching thread. */
    void deliver(ByteBuffer message) {
        onMessage.onMessage(this, message);
    }

    /** Dispatching thread. */
    void writable() {
        onWritable.accept(this);
    }

    /** Connection thread: an event of connection management. */
    void onEvent(CmEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> onEstablished(event);
            case REJECTED -> end(ConnectionEnd.rejected(event));
            case UNREACHABLE -> end(new ConnectionEnd(ConnectionEnd.Reason.UNREACHABLE, event.explanation()));
            case CONNECT_ERROR -> end(new ConnectionEnd(ConnectionEnd.Reason.FAILED, event.explanation()));
            case DISCONNECTED -> end(ConnectionEnd.disconnected(event, thread.nic(), endpoint));
            default -> {
                // TIMEWAIT_EXIT: the queue pair is closed already.
            }
        }
    }

    private void onEstablished(CmEvent event) {
        if (gate.hasPassed()) {
            return;
        }
        if (!isAccepting) {
            Greeting greeting = Greeting.decode(event.privateData());
            if (greeting == null) {
                end(new ConnectionEnd(ConnectionEnd.Reason.FAILED, peer + " port " + peerPort + " accepted without the greeting of"
                    + " io.rxe.connect: connect to an RxeServer, or use io.rxe.cm for other peers"));
                return;
            }
            peerData = greeting.privateData();
            messages.onGreeting(greeting);
            outstanding.open();
        }
        connected.complete(this);
        dispatcher.release();
    }

    /** Connection thread: whatever ends the connection comes here; the first counts. It waits for callbacks that still run. */
    void end(ConnectionEnd reason) {
        if (!gate.pass(reason)) {
            return;
        }
        closing.set(true);
        outstanding.close();
        CmConnection connection = managed;
        if (connection != null) {
            ConnectionThread.guarded(connection::close);
        }
        if (dispatcher == null) {
            finishEnd(reason);
        } else {
            dispatcher.finish(() -> thread.execute(() -> finishEnd(reason)));
        }
    }

    /** Connection thread: no callback runs any more. A step that throws does not keep the others from running. */
    private void finishEnd(ConnectionEnd reason) {
        ConnectionEnd end = dispatcher == null || dispatcher.failure() == null ? reason : dispatcher.failure();
        if (endpoint != null) {
            ConnectionThread.guarded(endpoint::close);
        }
        if (requests != null) {
            requests.failAll("the connection with " + peer + " has ended: " + end);
        }
        connected.completeExceptionally(new IOException("no connection with " + peer + " port " + peerPort + ": " + end, end.cause()));
        ConnectionThread.guarded(() -> onClosed.accept(end));
        thread.forget(this);
        closed.complete(end);
    }

    /** Whether this thread is in its set-up, or in onMessage on an executor: then the end waits for this thread. */
    boolean isHandling() {
        return setUp.isHere() || dispatcher != null && dispatcher.isHandling();
    }

    long failureTimeoutNs() {
        return options.failureTimeoutNs();
    }

    /** The callback that runs now, or null. Any thread. */
    String runningCallback() {
        String running = dispatcher != null ? dispatcher.running() : isAccepting ? null : setUp.running();
        return running == null ? null : "the " + this + " is in " + running;
    }

    @Override
    public String toString() {
        return "connection with " + peer + " port " + peerPort + (isOpen() ? ", open" : closed.isDone() ? ", ended: " + closed.join()
            : closing.get() ? ", closing" : ", connecting");
    }
}
