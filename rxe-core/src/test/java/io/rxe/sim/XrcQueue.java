package io.rxe.sim;

import io.rxe.device.Nic;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.XrcDomain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A shared receive queue with protection domain, completion queue and memory of its own, and what must arrive there.
 *
 * <pre>
 *   memory   receive slots | data to READ | for each sender: a counter, an area to WRITE to
 * </pre>
 */
final class XrcQueue {
    static final int MAX_BYTES = 6000;
    private static final int SLOTS = 8;
    static final int READ_AT = SLOTS * MAX_BYTES;
    private static final int SENDERS_AT = READ_AT + MAX_BYTES;
    private static final int SENDER_BYTES = 8 + MAX_BYTES;

    private final CompletionQueue completions;
    private final SharedReceiveQueue queue;
    private final ByteBuffer memory;
    private final MemoryRegion region;
    private final byte[] expectedMemory;
    /** Of each byte the last request of its sender that writes it. */
    private final int[] writtenBy;
    private final SeededRandom random;
    private final Map<Integer, XrcSender> byTarget = new HashMap<>();
    private final Map<XrcSender, ArrayDeque<XrcMessageModel>> expected = new HashMap<>();
    private final Set<Integer> posted = new HashSet<>();
    private final List<Integer> free = new ArrayList<>();
    private final WorkCompletion completion = new WorkCompletion();

    /** @param memoryPool of a mapped file when FLUSHes to persistence may come. */
    XrcQueue(Nic nic, XrcDomain xrcDomain, int senders, DirectMemoryPool memoryPool, SeededRandom random) {
        this.random = random;
        ProtectionDomain domain = nic.allocateProtectionDomain();
        completions = nic.createCompletionQueue(64);
        queue = domain.createSharedReceiveQueue(xrcDomain, completions, SLOTS, 1);
        memory = memoryPool.allocate(SENDERS_AT + senders * SENDER_BYTES).order(ByteOrder.nativeOrder());
        for (int i = READ_AT; i < memory.capacity(); i++) {
            memory.put(i, (byte) random.bits());
        }
        expectedMemory = new byte[memory.capacity()];
        memory.get(0, expectedMemory);
        writtenBy = new int[memory.capacity()];
        int persistence = memoryPool.isOfFile() ? AccessFlags.FLUSH_PERSISTENT : 0;
        region = domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
            | AccessFlags.FLUSH_GLOBAL | persistence, 0x10000, memory);
        for (int i = 0; i < SLOTS; i++) {
            free.add(i);
        }
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    MemoryRegion region() {
        return region;
    }

    static int counterAt(XrcSender sender) {
        return SENDERS_AT + sender.index() * SENDER_BYTES;
    }

    void add(XrcSender sender) {
        byTarget.put(sender.target().number(), sender);
        expected.put(sender, new ArrayDeque<>());
    }

    /** What memory must hold, as far as requests that were posted say. */
    byte[] expectedMemory() {
        return expectedMemory;
    }

    /** A request of a sender that was posted writes these bytes of {@link #expectedMemory}. */
    void willWrite(int request, int at, int bytes) {
        Arrays.fill(writtenBy, at, at + bytes, request);
    }

    /** A FLUSH of a sender has completed: what its earlier requests wrote is in memory (rule R21). */
    void checkWritten(XrcSender sender, int flush) {
        int from = counterAt(sender);
        for (int i = from; i < from + SENDER_BYTES; i++) {
            if (writtenBy[i] < flush && memory.get(i) != expectedMemory[i]) {
                throw new SimulationFailure("FLUSH " + flush + " of " + sender + " completed before request " + writtenBy[i]
                    + " had written byte " + i);
            }
        }
    }

    void willReceive(XrcSender sender, XrcMessageModel message) {
        expected.get(sender).add(message);
    }

    /** Takes completions and posts receives; returns a number for the hash of the run. */
    int step(boolean healed) {
        int taken = 0;
        while (completions.poll(completion)) {
            onReceived();
            taken++;
        }
        if (healed || random.chance(0.6)) {
            for (int i = random.between(1, SLOTS); i > 0 && !free.isEmpty(); i--) {
                int slot = free.remove(random.between(0, free.size() - 1));
                if (!queue.postReceive(new ReceiveRequest().id(slot).add(region, (long) slot * MAX_BYTES, MAX_BYTES))) {
                    throw new SimulationFailure("a shared receive queue with " + posted.size() + " of " + SLOTS + " requests is full");
                }
                posted.add(slot);
            }
        }
        return taken;
    }

    private void onReceived() {
        XrcSender sender = byTarget.get(completion.queuePairNumber());
        if (sender == null || !completion.isSuccess()) {
            throw new SimulationFailure("shared receive queue 0x" + Integer.toHexString(queue.number()) + " completed " + completion
                + " of a target that has no message for it");
        }
        XrcMessageModel message = expected.get(sender).poll();
        // Messages of several initiators take requests in the order of their first packets, and complete in that of their last.
        int slot = (int) completion.workRequestId();
        if (message == null || !posted.remove(slot)) {
            throw new SimulationFailure(completion + " at shared receive queue 0x" + Integer.toHexString(queue.number())
                + ", where nothing was sent to or nothing was posted");
        }
        boolean fits = completion.byteLength() == message.bytes()
            && completion.operation() == (message.isWrite() ? Operation.RECEIVE_RDMA_WITH_IMMEDIATE : Operation.RECEIVE)
            && (message.operation() == Operation.SEND || completion.immediate() == message.immediate());
        if (!fits) {
            throw new SimulationFailure(completion + " in slot " + slot + " instead of " + message.operation() + " of " + message.bytes()
                + " bytes");
        }
        for (int i = 0; i < message.data().length; i++) {
            if (memory.get(slot * MAX_BYTES + i) != message.data()[i]) {
                throw new SimulationFailure("byte " + i + " of " + message.operation() + " of " + message.bytes() + " bytes is wrong");
            }
        }
        free.add(slot);
    }

    /** At the end: everything sent to it has arrived, and WRITEs and atomics changed what they named and nothing else. */
    void check() {
        expected.forEach((sender, messages) -> {
            if (!messages.isEmpty()) {
                throw new SimulationFailure(messages.size() + " messages of " + sender + " never arrived at the queue they name");
            }
        });
        for (int i = READ_AT; i < expectedMemory.length; i++) {
            if (memory.get(i) != expectedMemory[i]) {
                throw new SimulationFailure("byte " + i + " of the memory of shared receive queue 0x" + Integer.toHexString(queue.number())
                    + " is wrong");
            }
        }
    }
}
