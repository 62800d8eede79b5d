package io.rxe.connect;

import io.rxe.verbs.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;

/**
 * Operations on the memory of the peer, which takes no part in them. From {@link RxeConnection#oneSided}; any number of threads may use
 * it at the same time. Operations of one thread are executed in its order; a READ may return data of a later WRITE of this side.
 *
 * <p>Each operation has two forms. One returns a stage and copies through a buffer of the connection. The other takes a callback and
 * memory that the application has registered ({@link RxeConnection#register}), allocates nothing, and returns back-pressure as a status.
 *
 * <p>A stage fails with {@link RejectedExecutionException} if {@link ConnectOptions#oneSidedDepth} operations are in flight, and with
 * {@link IOException} if the connection is not open or the operation fails; a failed operation also ends the connection. Stages complete,
 * and callbacks run, on the thread of the engine, or on the connection thread when the connection has ended: what depends on them must not
 * block; use the {@code Async} methods of the stage for what does. On an engine's thread {@code get} and {@code join} of a stage that is
 * not complete throw {@link IllegalStateException}: they would wait for themselves. So they do with {@code Progress.MANUAL} in {@code
 * onClosed} and the set-up of a server, as the connection thread drives the NIC between its callbacks. For more threads than {@code
 * oneSidedDepth}, operations of {@link #waiting} wait for their turn instead of failing.
 *
 * <p>All methods throw {@link IllegalArgumentException} for a range outside the remote memory or the region, and for a region that is
 * closed or was registered elsewhere.
 */
public final class OneSided {
    private final OneSidedRequests requests;
    private final int copyBytes;
    private final BooleanSupplier isCompleter;
    private final boolean waits;

    /** @param isCompleter whether the current thread must go on so that operations complete. */
    OneSided(OneSidedRequests requests, int copyBytes, BooleanSupplier isCompleter) {
        this(requests, copyBytes, isCompleter, false);
    }

    private OneSided(OneSidedRequests requests, int copyBytes, BooleanSupplier isCompleter, boolean waits) {
        this.requests = requests;
        this.copyBytes = copyBytes;
        this.isCompleter = isCompleter;
        this.waits = waits;
    }

    /**
     * The same operations in a form that waits: where {@link ConnectOptions#oneSidedDepth} operations are in flight, the calling thread
     * sleeps until one has ended, in no order. No operation is FULL or fails with RejectedExecutionException, except for an interrupt
     * during the wait, which stays set. The wait ends with the connection. They throw {@link IllegalStateException} where a stage does
     * that is not complete: on the thread that ends operations.
     */
    public OneSided waiting() {
        return new OneSided(requests, copyBytes, isCompleter, true);
    }

    private int take() {
        if (!waits) {
            return requests.slots().take();
        }
        if (isCompleter.getAsBoolean()) {
            throw new IllegalStateException("an operation of waiting() in a callback on " + Thread.currentThread().getName() + ", the"
                + " thread that ends operations: it could wait for itself; use oneSided() there, or another thread");
        }
        return requests.slots().takeWaiting();
    }

    /** The callback of an operation whose result is a stage. */
    private static class StageCallback<T> extends GuardedFuture<T> implements OneSidedCallback {
        private final LongFunction<T> result;

        StageCallback(BooleanSupplier isCompleter, LongFunction<T> result) {
            super(isCompleter);
            this.result = result;
        }

        @Override
        public void onDone(long id, long value, String error) {
            if (error == null) {
                complete(result.apply(value));
            } else {
                completeExceptionally(new IOException(error));
            }
        }

        StageCallback<T> reject(PostStatus status, int depth) {
            if (status == PostStatus.FULL) {
                completeExceptionally(new RejectedExecutionException(depth + " one-sided operations are in flight, as many as"
                    + " oneSidedDepth allows: wait for one, or raise it in the ConnectOptions"));
            } else if (status == PostStatus.NOT_CONNECTED) {
                completeExceptionally(new IOException("the connection is not open: wait for connected(), and see the reason of its end"));
            }
            return this;
        }
    }

    /** As above, for a READ into a new buffer. */
    private static final class ReadCallback extends StageCallback<ByteBuffer> implements OneSidedRequests.Landed {
        private final ByteBuffer result;

        ReadCallback(BooleanSupplier isCompleter, ByteBuffer result) {
            super(isCompleter, value -> result);
            this.result = result;
        }

        @Override
        public void take(ByteBuffer landing) {
            landing.get(0, result.array());
        }
    }

    /**
     * Reads from the memory of the peer.
     *
     * @param lengthBytes 0 to {@link ConnectOptions#messageBytes}.
     * @return completes with a new buffer of these bytes.
     */
    public CompletionStage<ByteBuffer> read(RemoteMemory from, long offset, int lengthBytes) {
        long address = Objects.requireNonNull(from, "the remote memory is null: get one from the peer").addressOf(offset, lengthBytes);
        checkCopy(lengthBytes);
        // Before a slot is taken, as there may be no memory.
        ReadCallback done = new ReadCallback(isCompleter, ByteBuffer.allocate(lengthBytes));
        int slot = take();
        if (slot < 0) {
            done.reject(requests.slots().refusal(slot), requests.slots().size());
        } else {
            requests.request(slot).read(address, from.key());
            requests.addLanding(slot, lengthBytes);
            done.reject(requests.post(slot, done, 0), requests.slots().size());
        }
        return done;
    }

    /**
     * Writes to the memory of the peer.
     *
     * @param data at most {@link ConnectOptions#messageBytes} bytes, from position to limit; copied before this returns. Its position does
     *             not change.
     * @return completes when the bytes are in the memory of the peer.
     */
    public CompletionStage<Void> write(ByteBuffer data, RemoteMemory to, long offset) {
        int length = Objects.requireNonNull(data, "the data to write is null: give a buffer").remaining();
        long address = Objects.requireNonNull(to, "the remote memory is null: get one from the peer").addressOf(offset, length);
        checkCopy(length);
        StageCallback<Void> done = new StageCallback<>(isCompleter, value -> null);
        int slot = take();
        if (slot < 0) {
            return done.reject(requests.slots().refusal(slot), requests.slots().size());
        }
        copy(data, length, slot);
        requests.request(slot).write(address, to.key());
        requests.addLanding(slot, length);
        return done.reject(requests.post(slot, done, 0), requests.slots().size());
    }

    /**
     * Writes {@code value} to eight bytes of the peer if they equal {@code expected}, at once.
     *
     * @param offset in the remote memory; its address must be a multiple of 8.
     * @return completes with what the eight bytes were: {@code expected} if the value was written. In the byte order of the peer's host.
     */
    public CompletionStage<Long> compareAndSwap(RemoteMemory at, long offset, long expected, long value) {
        StageCallback<Long> done = new StageCallback<>(isCompleter, before -> before);
        return done.reject(compareAndSwap(at, offset, expected, value, done, 0), requests.slots().size());
    }

    /**
     * Adds to eight bytes of the peer, at once.
     *
     * @param offset in the remote memory; its address must be a multiple of 8.
     * @return completes with what the eight bytes were.
     */
    public CompletionStage<Long> fetchAdd(RemoteMemory at, long offset, long addend) {
        StageCallback<Long> done = new StageCallback<>(isCompleter, before -> before);
        return done.reject(fetchAdd(at, offset, addend, done, 0), requests.slots().size());
    }

    /**
     * Reads from the memory of the peer into memory of this side, without a copy.
     *
     * @param into       registered with LOCAL_WRITE, in the domain of the connection.
     * @param intoOffset in the region.
     * @param id         for the callback.
     */
    public PostStatus read(RemoteMemory from, long offset, MemoryRegion into, long intoOffset, int lengthBytes, OneSidedCallback done,
                           long id) {
        require(done);
        long address = Objects.requireNonNull(from, "the remote memory is null: get one from the peer").addressOf(offset, lengthBytes);
        int slot = take();
        if (slot < 0) {
            return requests.slots().refusal(slot);
        }
        requests.request(slot).read(address, from.key());
        return postWith(slot, into, intoOffset, lengthBytes, done, id);
    }

    /**
     * Writes memory of this side to the memory of the peer, without a copy: leave the memory as it is until the callback has run.
     *
     * @param from       in the domain of the connection.
     * @param fromOffset in the region.
     * @param id         for the callback.
     */
    public PostStatus write(MemoryRegion from, long fromOffset, int lengthBytes, RemoteMemory to, long offset, OneSidedCallback done,
                            long id) {
        require(done);
        long address = Objects.requireNonNull(to, "the remote memory is null: get one from the peer").addressOf(offset, lengthBytes);
        int slot = take();
        if (slot < 0) {
            return requests.slots().refusal(slot);
        }
        requests.request(slot).write(address, to.key());
        return postWith(slot, from, fromOffset, lengthBytes, done, id);
    }

    /** As {@link #compareAndSwap(RemoteMemory, long, long, long)}; the callback receives what the eight bytes were. */
    public PostStatus compareAndSwap(RemoteMemory at, long offset, long expected, long value, OneSidedCallback done, long id) {
        require(done);
        long address = atomic(at, offset);
        int slot = take();
        if (slot < 0) {
            return requests.slots().refusal(slot);
        }
        requests.request(slot).compareAndSwap(address, at.key(), expected, value);
        requests.addLanding(slot, Long.BYTES);
        return requests.post(slot, done, id);
    }

    /** As {@link #fetchAdd(RemoteMemory, long, long)}; the callback receives what the eight bytes were. */
    public PostStatus fetchAdd(RemoteMemory at, long offset, long addend, OneSidedCallback done, long id) {
        require(done);
        long address = atomic(at, offset);
        int slot = take();
        if (slot < 0) {
            return requests.slots().refusal(slot);
        }
        requests.request(slot).fetchAndAdd(address, at.key(), addend);
        requests.addLanding(slot, Long.BYTES);
        return requests.post(slot, done, id);
    }

    /** Copies into the landing buffer; a buffer that another thread has shortened, or a file that has become too short, leaves no trace. */
    private void copy(ByteBuffer data, int length, int slot) {
        try {
            requests.landing(slot).put(0, data, data.position(), length);
        } catch (Throwable e) {
            requests.slots().abandon(slot);
            throw e;
        }
    }

    /** Posts with memory of the application; a region that the request refuses leaves no trace. */
    private PostStatus postWith(int slot, MemoryRegion region, long offset, int length, OneSidedCallback done, long id) {
        try {
            requests.add(slot, Objects.requireNonNull(region, "the region is null: register memory"), offset, length);
        } catch (Throwable e) {
            requests.slots().abandon(slot);
            throw e;
        }
        return requests.post(slot, done, id);
    }

    private void checkCopy(int length) {
        if (length > copyBytes) {
            throw new IllegalArgumentException(length + " bytes > " + copyBytes + ", the messageBytes of this side: use the form with a"
                + " region and a callback, or raise messageBytes in the ConnectOptions");
        }
    }

    private static long atomic(RemoteMemory at, long offset) {
        long address = Objects.requireNonNull(at, "the remote memory is null: get one from the peer").addressOf(offset, Long.BYTES);
        if ((address & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + " of an atomic is not a multiple of 8: change the"
                + " offset, or align the memory where it is registered");
        }
        return address;
    }

    private static void require(OneSidedCallback done) {
        Objects.requireNonNull(done, "the callback is null: give one, or use the form that returns a stage");
    }
}
