package io.rxe.bench;

import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.List;
import java.util.function.Consumer;

/**
 * Executes every operation with every size in both directions, one at a time, and compares every byte: the message, the memory around
 * it, and the source. Source and target lie at odd addresses and in several scatter/gather elements. Also checks operation, length and
 * immediate data of every completion, and that there is exactly one for each request.
 */
public final class VerifyPass {
    private static final int MAX_ELEMENTS = 3;
    // An atomic operand lies at one of eight places.
    private static final int ATOMIC_ROOM_BYTES = 64;
    private static final long STALL_NS = 30_000_000_000L;

    private final LoopbackPair pair;
    private final List<Workload> workloads;
    private final long seed;
    private final int largestBytes;
    private final StallWatch watch = new StallWatch(STALL_NS, this::current);
    private final WorkRequest request = new WorkRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private String step = "";
    private int transfers;
    private long bytesMoved;
    private long bytesCompared;

    /**
     * @param pair       connected, and not used by anything else.
     * @param operations to check.
     * @param sizes      message sizes in bytes; ignored for atomics.
     * @param seed       all data follows from it.
     */
    public VerifyPass(LoopbackPair pair, List<Operation> operations, List<Integer> sizes, long seed) {
        this.pair = pair;
        this.workloads = Workload.of(operations, sizes);
        this.seed = seed;
        this.largestBytes = Math.max(ATOMIC_ROOM_BYTES, workloads.stream().mapToInt(Workload::sizeBytes).max().orElse(0));
    }

    /**
     * Runs it.
     *
     * @param progress receives the name of each step before it starts.
     * @throws TransferFailure at the first error.
     */
    public VerifyReport run(Consumer<String> progress) {
        long startNs = System.nanoTime();
        try (PatternMemory first = new PatternMemory(pair.first(), largestBytes); PatternMemory second = new PatternMemory(pair.second(),
            largestBytes)) {
            for (Workload workload : workloads) {
                progress.accept("verify " + workload);
                check(workload, pair.first(), first, pair.second(), second);
                check(workload, pair.second(), second, pair.first(), first);
            }
        }
        int operations = (int) workloads.stream().map(Workload::operation).distinct().count();
        return new VerifyReport(operations, transfers, bytesMoved, bytesCompared, System.nanoTime() - startNs);
    }

    private String current() {
        return step;
    }

    private void check(Workload workload, LoopbackSide requester, PatternMemory own, LoopbackSide responder, PatternMemory peers) {
        for (int index = 0; index < requester.queuePairCount(); index++) {
            step = workload + " from " + requester.name() + " to " + responder.name() + ", queue pair " + index;
            if (workload.isAtomic()) {
                checkAtomics(workload, index, requester, own, peers);
            } else {
                checkTransfer(workload, index, requester, own, responder, peers);
            }
            expectNoMore(requester, responder);
        }
    }

    private void checkTransfer(Workload workload, int index, LoopbackSide requester, PatternMemory own, LoopbackSide responder,
        PatternMemory peers) {
        long random = DataPattern.mix(seed + transfers);
        int size = workload.sizeBytes();
        int sourceOffset = PatternMemory.GUARD_BYTES + (int) (random & 63);
        int targetOffset = PatternMemory.GUARD_BYTES + (int) (random >>> 6 & 63);
        int immediate = (int) (random >>> 32);
        own.prepare(random, size);
        peers.prepare(random ^ 1, size);
        boolean isRead = workload.operation() == Operation.RDMA_READ;
        PatternMemory from = isRead ? peers : own;
        PatternMemory to = isRead ? own : peers;
        if (workload.takesReceive()) {
            receive.clear().id(transfers);
            if (workload.operation() != Operation.RDMA_WRITE_WITH_IMMEDIATE) {
                addElements(size, (at, length) -> receive.add(peers.target().region(), targetOffset + at, length));
            }
            while (!responder.queuePair(index).postReceive(receive)) {
                watch.idle();
            }
        }
        RegisteredBuffer remote = isRead ? peers.source() : peers.target();
        workload.begin(request.id(transfers), remote.address(isRead ? sourceOffset : targetOffset), remote.region().rKey(), immediate);
        MemoryRegion local = (isRead ? own.target() : own.source()).region();
        addElements(size, (at, length) -> request.add(local, (isRead ? targetOffset : sourceOffset) + at, length));
        post(requester.queuePair(index));
        // The send first: it reports errors of both sides, while the receive would only be missing.
        checkSend(workload, requester.sends().await(watch));
        if (workload.takesReceive()) {
            checkReceive(workload, responder.receives().await(watch), immediate);
        }
        own.checkSource(step);
        peers.checkSource(step);
        to.checkTarget(step, from, targetOffset, sourceOffset, size);
        from.checkUntouched(step, 0, 0);
        account(size, own, peers);
    }

    private void checkReceive(Workload workload, WorkCompletion completion, int immediate) {
        Operation expected = workload.operation() == Operation.RDMA_WRITE_WITH_IMMEDIATE
            ? Operation.RECEIVE_RDMA_WITH_IMMEDIATE : Operation.RECEIVE;
        expect("operation of the receive completion", expected, completion.operation());
        expect("id of the receive completion", (long) transfers, completion.workRequestId());
        expect("length of the receive completion", (long) workload.sizeBytes(), completion.byteLength());
        expect("immediate data present", workload.hasImmediate(), completion.hasImmediate());
        if (workload.hasImmediate()) {
            expect("immediate data", immediate, completion.immediate());
        }
    }

    private void checkSend(Workload workload, WorkCompletion completion) {
        expect("operation of the send completion", workload.operation(), completion.operation());
        expect("id of the send completion", (long) transfers, completion.workRequestId());
        if (workload.operation() == Operation.RDMA_READ || workload.isAtomic()) {
            expect("length of the send completion", (long) workload.sizeBytes(), completion.byteLength());
        }
    }

    // Four variants: swaps that must and must not happen, sums that carry and wrap. Each returns the old value.
    private void checkAtomics(Workload workload, int index, LoopbackSide requester, PatternMemory own, PatternMemory peers) {
        for (int variant = 0; variant < 4; variant++) {
            long random = DataPattern.mix(seed + transfers);
            int remoteOffset = PatternMemory.GUARD_BYTES + 8 * (int) (random & 7);
            int localOffset = PatternMemory.GUARD_BYTES + (int) (random >>> 8 & 63);
            long before = variant == 3 ? -1L : DataPattern.mix(random);
            own.prepare(random, ATOMIC_ROOM_BYTES);
            peers.prepare(random ^ 1, ATOMIC_ROOM_BYTES);
            peers.putTargetLong(remoteOffset, before);
            request.id(transfers);
            long address = peers.target().address(remoteOffset);
            int key = peers.target().region().rKey();
            long after;
            if (workload.operation() == Operation.FETCH_AND_ADD) {
                request.fetchAndAdd(address, key, random);
                after = before + random;
            } else {
                boolean swaps = (variant & 1) == 0;
                request.compareAndSwap(address, key, swaps ? before : ~before, random);
                after = swaps ? random : before;
            }
            request.add(own.target().region(), localOffset, Workload.ATOMIC_BYTES);
            post(requester.queuePair(index));
            checkSend(workload, requester.sends().await(watch));
            expect("old value returned", before, own.targetLong(localOffset));
            expect("value in the peer's memory", after, peers.targetLong(remoteOffset));
            own.checkUntouched(step, localOffset, Workload.ATOMIC_BYTES);
            peers.checkUntouched(step, remoteOffset, Workload.ATOMIC_BYTES);
            own.checkSource(step);
            peers.checkSource(step);
            account(Workload.ATOMIC_BYTES, own, peers);
        }
    }

    private void account(int sizeBytes, PatternMemory own, PatternMemory peers) {
        transfers++;
        bytesMoved += sizeBytes;
        bytesCompared += own.checkedBytes() + peers.checkedBytes();
    }

    private void expectNoMore(LoopbackSide requester, LoopbackSide responder) {
        int extra = requester.sends().poll() + requester.receives().poll() + responder.sends().poll() + responder.receives().poll();
        if (extra > 0) {
            throw new TransferFailure(step + ": " + extra + " completions more than requests");
        }
    }

    private void expect(String field, Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new TransferFailure(step + ": " + field + " is " + found + ", expected " + expected);
        }
    }

    private void post(QueuePair queuePair) {
        while (!queuePair.postSend(request)) {
            watch.idle();
        }
        watch.progress();
    }

    private static void addElements(int size, ElementConsumer elements) {
        int at = 0;
        for (int left = Math.min(MAX_ELEMENTS, size); left > 0; left--) {
            // Uneven on purpose: elements end anywhere in a packet.
            int length = left == 1 ? size - at : Math.max(1, (size - at) / (left + 1));
            elements.add(at, length);
            at += length;
        }
    }

    private interface ElementConsumer {
        void add(int at, int lengthBytes);
    }
}
