package io.rxe.sim;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/** An initiator with its target: posts random requests for random queues of the target's XRC domain, and checks what they bring. */
final class XrcSender {
    private static final int DEPTH = 8;
    private static final int RETRIES = 7;
    private static final int TIMEOUT_CODE = 14;
    private static final int READS = 4;
    private static final Operation[] OPERATIONS = {Operation.SEND, Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.RDMA_WRITE,
        Operation.RDMA_WRITE_WITH_IMMEDIATE, Operation.RDMA_READ, Operation.FETCH_AND_ADD, Operation.COMPARE_AND_SWAP};
    private static final Operation[] PLACEMENT = {Operation.RDMA_WRITE, Operation.ATOMIC_WRITE, Operation.FLUSH};

    /** What a request must bring: bytes at its slot, or null. */
    private record Posted(int id, Operation operation, XrcQueue queue, int slot, byte[] result, CompletionStatus status) {
    }

    private final int index;
    private final SeededRandom random;
    private final List<XrcQueue> queues;
    private final QueuePair initiator;
    private final QueuePair target;
    private final CompletionQueue completions;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(DEPTH * XrcQueue.MAX_BYTES).order(ByteOrder.nativeOrder());
    private final MemoryRegion region;
    private final ArrayDeque<Posted> outstanding = new ArrayDeque<>();
    private final WorkRequest request = new WorkRequest();
    private final WorkCompletion completion = new WorkCompletion();
    private int total;
    private int posted;
    private int completed;
    private int wrongNumber;
    private final boolean places;
    private boolean failed;

    XrcSender(int index, NicNode node, NicNode targetNode, XrcDomain domain, List<XrcQueue> queues, SeededRandom random,
              boolean places) {
        this.index = index;
        this.places = places;
        this.random = random;
        this.queues = queues;
        completions = node.nic().createCompletionQueue(DEPTH * 2);
        region = node.domain().register(memory, AccessFlags.LOCAL_WRITE);
        initiator = node.domain().createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, completions, completions)
            .withRequests(DEPTH, 1));
        target = domain.createQueuePair();
        PathMtu mtu = random.oneOf(PathMtu.values());
        int psn = random.bits() & 0xFFFFFF;
        initiator.modify(QueuePairAttributes.toInit(0));
        initiator.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(targetNode.gid())).pathMtu(mtu)
            .destinationQpn(target.number()).receivePsn(0));
        target.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
            | AccessFlags.FLUSH_GLOBAL | (places ? AccessFlags.FLUSH_PERSISTENT : 0)));
        target.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(node.gid()), mtu, initiator.number(), psn)
            .maxDestRdAtomic(READS).minRnrTimer(random.between(1, 12)));
        if (random.chance(0.5)) {
            target.modify(QueuePairAttributes.to(QueuePairState.RTS).timeout(TIMEOUT_CODE).sendPsn(0));
        }
        initiator.modify(QueuePairAttributes.toReadyToSend(psn).timeout(TIMEOUT_CODE).retryCount(RETRIES).rnrRetry(RETRIES)
            .maxRdAtomic(random.between(1, READS)));
    }

    int index() {
        return index;
    }

    QueuePair target() {
        return target;
    }

    List<XrcQueue> queues() {
        return queues;
    }

    void total(int requests) {
        total = requests;
    }

    /** The last request names a queue that the target's XRC domain does not have. */
    void endWith(int number) {
        wrongNumber = number;
    }

    boolean isFinished() {
        return posted == total && outstanding.isEmpty();
    }

    /** Takes completions and posts requests; returns a number for the hash of the run. */
    int step() {
        int before = completed;
        while (completions.poll(completion)) {
            onCompleted();
        }
        for (int i = random.between(0, 3); i > 0 && posted < total && outstanding.size() < DEPTH; i--) {
            post();
        }
        return completed - before;
    }

    private void post() {
        int slot = posted % DEPTH;
        boolean isWrong = wrongNumber != 0 && posted == total - 1;
        XrcQueue queue = random.oneOf(queues.toArray(new XrcQueue[0]));
        Operation operation = random.oneOf(places && random.chance(0.5) ? PLACEMENT : OPERATIONS);
        byte[] result = isWrong ? fillWrong(operation, queue, slot) : fill(operation, queue, slot);
        request.id(posted).toSharedReceiveQueue(isWrong ? wrongNumber : queue.queue().number());
        if (!initiator.postSend(request)) {
            throw new SimulationFailure(this + ": the send queue is full with " + outstanding.size() + " of " + DEPTH + " requests");
        }
        outstanding.add(new Posted(posted, operation, queue, slot, result,
            isWrong ? CompletionStatus.REM_INV_REQ_ERR : CompletionStatus.SUCCESS));
        posted++;
    }

    /** A request that must be refused, so that no model changes. */
    private byte[] fillWrong(Operation operation, XrcQueue queue, int slot) {
        if (operation == Operation.RDMA_READ) {
            request.read(queue.region().address() + XrcQueue.READ_AT, queue.region().rKey());
        } else if (operation.isSend()) {
            request.send();
        } else if (operation == Operation.FLUSH) {
            request.flush(0, queue.region().rKey(), 0, FlushType.GLOBAL, FlushLevel.REGION);
            return null;
        } else if (operation == Operation.ATOMIC_WRITE) {
            request.atomicWrite(queue.region().address() + XrcQueue.counterAt(this), queue.region().rKey());
        } else {
            request.write(queue.region().address() + XrcQueue.counterAt(this), queue.region().rKey());
        }
        request.add(region, (long) slot * XrcQueue.MAX_BYTES, 8);
        return null;
    }

    private byte[] fill(Operation operation, XrcQueue queue, int slot) {
        long address = queue.region().address();
        int key = queue.region().rKey();
        int counterAt = XrcQueue.counterAt(this);
        int bytes = operation.isAtomic() || operation == Operation.ATOMIC_WRITE ? 8
            : random.chance(0.2) ? random.between(0, 8) : random.between(0, XrcQueue.MAX_BYTES);
        int immediate = random.bits();
        int writeAt = counterAt + 8 + random.between(0, XrcQueue.MAX_BYTES - bytes);
        byte[] data = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            data[i] = (byte) random.bits();
        }
        byte[] result = null;
        switch (operation) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(immediate);
            case RDMA_WRITE -> request.write(address + writeAt, key);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(address + writeAt, key, immediate);
            case RDMA_READ -> {
                int readAt = XrcQueue.READ_AT + random.between(0, XrcQueue.MAX_BYTES - bytes);
                request.read(address + readAt, key);
                result = Arrays.copyOfRange(queue.expectedMemory(), readAt, readAt + bytes);
            }
            case ATOMIC_WRITE -> {
                writeAt = counterAt;
                request.atomicWrite(address + counterAt, key);
            }
            case FLUSH -> {
                request.flush(address + writeAt, key, bytes, random.between(FlushType.GLOBAL, FlushType.ALL),
                    random.oneOf(FlushLevel.values()));
                return null;
            }
            case FETCH_AND_ADD, COMPARE_AND_SWAP -> result = fillAtomic(operation, queue, counterAt);
            default -> throw new AssertionError(operation);
        }
        request.add(region, (long) slot * XrcQueue.MAX_BYTES, bytes);
        if (result == null) {
            memory.put(slot * XrcQueue.MAX_BYTES, data);
        }
        if (operation.isWrite() || operation == Operation.ATOMIC_WRITE) {
            System.arraycopy(data, 0, queue.expectedMemory(), writeAt, bytes);
            queue.willWrite(posted, writeAt, bytes);
        }
        if (operation.isSend() || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE) {
            queue.willReceive(this, new XrcMessageModel(operation, immediate, operation.isSend() ? data : new byte[0], bytes));
        }
        return result;
    }

    /** Every atomic of this initiator changes the value: a repeated one shows in the next, or at the end. */
    private byte[] fillAtomic(Operation operation, XrcQueue queue, int counterAt) {
        ByteBuffer model = ByteBuffer.wrap(queue.expectedMemory()).order(ByteOrder.nativeOrder());
        long before = model.getLong(counterAt);
        long operand = random.longBits();
        long address = queue.region().address() + counterAt;
        if (operation == Operation.FETCH_AND_ADD) {
            request.fetchAndAdd(address, queue.region().rKey(), operand);
            model.putLong(counterAt, before + operand);
        } else {
            request.compareAndSwap(address, queue.region().rKey(), before, operand);
            model.putLong(counterAt, operand);
        }
        queue.willWrite(posted, counterAt, 8);
        byte[] result = new byte[8];
        ByteBuffer.wrap(result).order(ByteOrder.nativeOrder()).putLong(before);
        return result;
    }

    private void onCompleted() {
        Posted first = outstanding.poll();
        completed++;
        if (first == null || first.id() != completion.workRequestId()
            || first.status() != completion.status() && !isUnanswered(completion.status())) {
            throw new SimulationFailure(this + ": " + completion + " instead of " + first);
        }
        failed |= !completion.isSuccess();
        if (first.operation() == Operation.FLUSH && !failed) {
            first.queue().checkWritten(this, first.id());
        }
        if (first.result() == null || failed) {
            return;
        }
        for (int i = 0; i < first.result().length; i++) {
            if (memory.get(first.slot() * XrcQueue.MAX_BYTES + i) != first.result()[i]) {
                throw new SimulationFailure(this + ": byte " + i + " of " + first.operation() + " is not what its queue's memory held");
            }
        }
    }

    /** The NAK of the refused request was lost: a target in ERROR does not answer any more, as RC. */
    private boolean isUnanswered(CompletionStatus status) {
        return wrongNumber != 0 && target.state() == QueuePairState.ERROR
            && status == (failed ? CompletionStatus.WR_FLUSH_ERR : CompletionStatus.RETRY_EXC_ERR);
    }

    /** At the end: a target is in ERROR if it was given a wrong number, and else as it was. */
    void check() {
        if (failed != (target.state() == QueuePairState.ERROR) || failed != (wrongNumber != 0)) {
            throw new SimulationFailure(this + ": the target is in " + target.state());
        }
    }

    @Override
    public String toString() {
        return "initiator " + index + " with " + posted + " of " + total + " requests posted, " + outstanding.size() + " outstanding, "
            + initiator.state();
    }
}
