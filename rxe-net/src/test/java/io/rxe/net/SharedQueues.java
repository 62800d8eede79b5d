package io.rxe.net;

import io.rxe.port.Progress;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that share a queue pair and a completion queue at each end: some post SENDs, others poll both completion queues and post the
 * receives again. Each completion must be taken once, and each message arrive once.
 *
 * <p>{@link #main} runs it for a time: {@code tools/dev/stress SECONDS shared-queues}.
 */
final class SharedQueues implements AutoCloseable {
    private static final int THREADS = 4;
    /** Messages of one thread whose fate is kept; far more than can be outstanding. */
    private static final int SLOTS = 1024;
    private static final int RECEIVES = 512;
    private static final long PAUSE_NS = 20_000;
    private static final long STALL_NS = 60_000_000_000L;
    /** States of a message: the number of it that was posted last, times two; plus one when it is done. */
    private static final int DONE = 1;

    /** One end of the connection. */
    private static final class End {
        final ByteBuffer memory = ByteBuffer.allocateDirect(THREADS * SLOTS * Long.BYTES);
        final Device device;
        final CompletionQueue queue;
        final QueuePair pair;
        final MemoryRegion region;

        End(RxeNic nic) {
            device = nic.device();
            queue = device.createCompletionQueue(4 * RECEIVES);
            ProtectionDomain domain = device.allocateProtectionDomain();
            region = domain.register(memory, AccessFlags.LOCAL_WRITE);
            pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withRequests(128, RECEIVES));
        }

        void connect(End peer) {
            pair.modify(QueuePairAttributes.toInit(0));
            pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.device.gid(), peer.device.udpPort()),
                device.portMtu(), peer.pair.number(), 0));
            pair.modify(QueuePairAttributes.toReadyToSend(0));
        }
    }

    private final RxeNic senderNic;
    private final RxeNic receiverNic;
    private final End sender;
    private final End receiver;
    /** What became of the messages, as the sender and as the receiver saw it: {@link #SLOTS} for each thread that posts. */
    private final AtomicLongArray sent = new AtomicLongArray(THREADS * SLOTS);
    private final AtomicLongArray arrived = new AtomicLongArray(THREADS * SLOTS);
    private final AtomicLong posted = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean over;

    SharedQueues(int engines, Progress progress) throws Exception {
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(port).withEngines(engines).withProgress(progress);
        senderNic = RxeNic.open(options);
        receiverNic = RxeNic.open(options.withAddress("127.0.0.2"));
        sender = new End(senderNic);
        receiver = new End(receiverNic);
        sender.connect(receiver);
        receiver.connect(sender);
    }

    /**
     * Runs until it is told to stop, or something is wrong.
     *
     * @param isEnough asked by the threads that post.
     * @return messages posted; each completed once at both ends.
     * @throws AssertionError when a completion or message was lost, came twice or was wrong.
     */
    long run(BooleanSupplier isEnough) throws InterruptedException {
        ReceiveRequest receive = new ReceiveRequest();
        for (int i = 0; i < RECEIVES; i++) {
            receiver.pair.postReceive(receive.clear().id(i).add(receiver.region, (long) i * Long.BYTES, Long.BYTES));
        }
        List<Thread> posters = start("poster", this::post, isEnough);
        List<Thread> pollers = start("poller", (index, end) -> poll(), isEnough);
        for (Thread thread : posters) {
            thread.join();
        }
        over = true;
        for (Thread thread : pollers) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError(this + ": " + failure.get().getMessage(), failure.get());
        }
        if (completed.get() != posted.get() || received.get() != posted.get()) {
            throw new AssertionError("not each once: " + this);
        }
        return posted.get();
    }

    /** What a thread does. */
    private interface Work {
        void run(int index, BooleanSupplier isEnough) throws Exception;
    }

    private List<Thread> start(String name, Work work, BooleanSupplier isEnough) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int index = i;
            Thread thread = new Thread(() -> {
                try {
                    work.run(index, isEnough);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                    over = true;
                }
            }, name + "-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    private void post(int index, BooleanSupplier isEnough) {
        WorkRequest request = new WorkRequest();
        long count = 0;
        while (!over && !isEnough.getAsBoolean()) {
            int slot = index * SLOTS + (int) (count % SLOTS);
            awaitDone(slot);
            long number = 2 * (count / SLOTS + 1);
            sent.set(slot, number);
            arrived.set(slot, number);
            sender.memory.putLong(slot * Long.BYTES, slot);
            request.id(slot).send().add(sender.region, (long) slot * Long.BYTES, Long.BYTES);
            while (!sender.pair.postSend(request)) {
                pause();
            }
            posted.incrementAndGet();
            count++;
        }
        for (int slot = index * SLOTS; slot < (index + 1) * SLOTS; slot++) {
            awaitDone(slot);
        }
    }

    /** The message that had the slot before must have completed at both ends. */
    private void awaitDone(int slot) {
        long endNs = System.nanoTime() + STALL_NS;
        while (!isDone(sent.get(slot)) || !isDone(arrived.get(slot))) {
            if (over) {
                return;
            }
            if (System.nanoTime() - endNs > 0) {
                throw new AssertionError("message " + slot + " did not complete at both ends: lost");
            }
            pause();
        }
    }

    /** Leaves the processor to the engines, which are more threads than there may be processors. */
    private static void pause() {
        LockSupport.parkNanos(PAUSE_NS);
    }

    private static boolean isDone(long state) {
        return state == 0 || (state & DONE) != 0;
    }

    private void poll() {
        WorkCompletion[] batch = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};
        WorkCompletion one = new WorkCompletion();
        ReceiveRequest receive = new ReceiveRequest();
        while (!over) {
            int count = sender.queue.poll(batch);
            for (int i = 0; i < count; i++) {
                check(batch[i]);
                finish(sent, (int) batch[i].workRequestId(), batch[i]);
                completed.incrementAndGet();
            }
            if (receiver.queue.poll(one)) {
                check(one);
                int place = (int) one.workRequestId() * Long.BYTES;
                finish(arrived, (int) receiver.memory.getLong(place), one);
                received.incrementAndGet();
                receive.clear().id(one.workRequestId()).add(receiver.region, place, Long.BYTES);
                if (!receiver.pair.postReceive(receive)) {
                    throw new AssertionError("the receive queue is full: a receive completed twice");
                }
            } else if (count == 0) {
                pause();
            }
        }
    }

    private static void check(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            throw new AssertionError(completion.toString());
        }
    }

    private static void finish(AtomicLongArray states, int slot, WorkCompletion completion) {
        long state = states.get(slot);
        if (isDone(state) || !states.compareAndSet(slot, state, state | DONE)) {
            throw new AssertionError("completed twice: " + completion + " of message " + slot);
        }
    }

    @Override
    public void close() {
        senderNic.close();
        receiverNic.close();
    }

    @Override
    public String toString() {
        return String.format("%d threads posted %,d SENDs on one queue pair, %d threads polled %,d of their completions and %,d receives",
            THREADS, posted.get(), THREADS, completed.get(), received.get());
    }

    /** Argument: seconds for each way of progress. Exit status 1 when anything is lost, doubled or wrong. */
    public static void main(String[] arguments) throws Exception {
        long durationNs = Long.parseLong(arguments[0]) * 1_000_000_000L;
        System.out.printf("Java %s, %d processors%n", Runtime.version(), Runtime.getRuntime().availableProcessors());
        for (Progress progress : Progress.values()) {
            try (SharedQueues queues = new SharedQueues(1, progress)) {
                long beganNs = System.nanoTime();
                queues.run(() -> System.nanoTime() - beganNs > durationNs);
                System.out.println("progress " + progress + ": " + queues + ": each once");
            } catch (AssertionError e) {
                System.out.println("progress " + progress + ": " + e.getMessage());
                System.exit(1);
            }
        }
    }
}
