package io.rxe.sim;

import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Draws the requests of one application and turns them into work requests. */
final class RequestFactory {
    private static final Operation[] OPERATIONS = {
        Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.SEND_WITH_INVALIDATE, Operation.RDMA_WRITE,
        Operation.RDMA_WRITE_WITH_IMMEDIATE, Operation.RDMA_READ, Operation.COMPARE_AND_SWAP, Operation.FETCH_AND_ADD
    };

    private final Application application;
    private final ApplicationSettings settings;
    private final SeededRandom random;
    private byte[] inlineScratch = new byte[0];
    private int keyToInvalidate;

    RequestFactory(Application application, SeededRandom random) {
        this.application = application;
        this.settings = application.settings;
        this.random = random;
    }

    /** Draws the request with a given id and fills its slot of local memory. */
    Request draw(long id, int slotBytes) {
        boolean wrong = id == settings.errorAt;
        Operation operation = wrong ? operationFor(settings.error) : drawOperation();
        Request request = new Request(id, operation, drawLength(operation, wrong));
        request.error = wrong ? settings.error : InjectedError.NONE;
        request.fence = random.chance(settings.fenceProbability);
        request.solicited = request.takesReceive() && random.chance(0.3);
        request.immediate = random.bits();
        if (operation == Operation.SEND_WITH_INVALIDATE) {
            request.invalidatedKey = keyToInvalidate != 0 ? keyToInvalidate : application.peer.disposable().poll().rKey();
        }
        request.localSlot = application.memory.localStart + (int) (id % settings.sendDepth) * slotBytes;
        aim(request);
        fillSlot(request, slotBytes);
        return request;
    }

    private static Operation operationFor(InjectedError error) {
        return switch (error) {
            case MISALIGNED_ATOMIC -> Operation.FETCH_AND_ADD;
            case RECEIVE_TOO_SHORT, NONE, INVALID_RECEIVE_KEY -> Operation.SEND;
            case UNKNOWN_REMOTE_KEY, FOREIGN_DOMAIN -> Operation.RDMA_READ;
            case BEYOND_REGION, NO_ACCESS_RIGHT, INVALID_LOCAL_KEY, ENDED_BINDING, OTHER_OWNER_BITS, OTHER_QUEUE_PAIR ->
                Operation.RDMA_WRITE;
        };
    }

    private Operation drawOperation() {
        if (settings.placementShare > 0 && application.peer.responder() == null && random.chance(settings.placementShare)) {
            return random.chance(0.7) ? Operation.ATOMIC_WRITE : Operation.FLUSH;
        }
        int sum = Arrays.stream(settings.mix).sum();
        int at = random.between(0, sum - 1);
        for (int i = 0; i < OPERATIONS.length; i++) {
            at -= settings.mix[i];
            if (at < 0) {
                boolean none = OPERATIONS[i] == Operation.SEND_WITH_INVALIDATE && !hasKeyToInvalidate();
                return none ? Operation.SEND : OPERATIONS[i];
            }
        }
        throw new AssertionError("weights do not add up");
    }

    /** A window's key first, else that of a region. */
    private boolean hasKeyToInvalidate() {
        keyToInvalidate = application.peer.windows == null ? 0 : application.peer.windows.takeToInvalidate();
        return keyToInvalidate != 0 || !application.peer.disposable().isEmpty();
    }

    private int drawLength(Operation operation, boolean wrong) {
        int mtu = settings.mtu.bytes();
        int most = settings.maxMessage;
        if (operation.isAtomic() || operation == Operation.ATOMIC_WRITE) {
            return Long.BYTES;
        }
        if (operation == Operation.FLUSH) {
            return 0;
        }
        if (wrong && settings.error.isOfWindows()) {
            return 1;
        }
        if (wrong) {
            return settings.error == InjectedError.RECEIVE_TOO_SHORT ? most + random.between(1, mtu) : random.between(1, most);
        }
        int drawn = switch (random.between(0, 9)) {
            case 0 -> 0;
            case 1 -> random.between(1, 8);
            case 2 -> mtu + random.between(-1, 1);
            case 3 -> mtu * random.between(1, 4);
            case 4, 5 -> random.between(1, mtu);
            default -> random.between(1, most);
        };
        return Math.min(drawn, most);
    }

    private void aim(Request request) {
        ApplicationMemory peerMemory = application.peer.memory;
        int free = Math.max(0, peerMemory.targetBytes - request.targetBytes());
        request.remoteKey = peerMemory.target.rKey();
        if (request.operation.isAtomic()) {
            aimAtomic(request, peerMemory);
        } else {
            request.targetOffset = request.operation == Operation.ATOMIC_WRITE ? 8 * random.between(0, free / 8) : random.between(0, free);
            request.remoteAddress = peerMemory.target.address() + request.targetOffset;
        }
        aimThroughWindow(request);
        if (request.operation == Operation.FLUSH) {
            request.flushLevel = random.chance(0.5) ? FlushLevel.RANGE : FlushLevel.REGION;
            request.flushType = random.between(FlushType.GLOBAL, FlushType.ALL);
            request.flushBytes = random.between(0, free - request.targetOffset);
        } else if (request.length == 0 && random.chance(0.5)) {
            // A zero-length operation needs neither key nor address (rule R10).
            request.remoteKey = random.bits();
            request.remoteAddress = random.longBits();
        }
        switch (request.error) {
            case UNKNOWN_REMOTE_KEY -> request.remoteKey = ~request.remoteKey;
            case FOREIGN_DOMAIN -> request.remoteKey = peerMemory.foreign.rKey();
            case NO_ACCESS_RIGHT -> request.remoteKey = peerMemory.closed.rKey();
            case BEYOND_REGION -> request.remoteAddress = peerMemory.target.address() + peerMemory.targetBytes
                - random.between(0, request.length - 1);
            case ENDED_BINDING -> aimAtEndedBinding(request);
            case OTHER_OWNER_BITS -> request.remoteKey ^= random.between(1, 255);
            case OTHER_QUEUE_PAIR -> {
                WindowOwner.Window window = application.connection.simulation.windowOfOther(application.peer);
                if (window == null) {
                    aimAtEndedBinding(request);
                } else {
                    request.remoteKey = window.key;
                    request.remoteAddress = window.address;
                }
            }
            case NONE, MISALIGNED_ATOMIC, RECEIVE_TOO_SHORT, INVALID_RECEIVE_KEY, INVALID_LOCAL_KEY -> {
                // The remote key and address are valid.
            }
        }
    }

    private void aimAtEndedBinding(Request request) {
        WindowOwner windows = application.peer.windows;
        WindowOwner.Stale ended = windows == null ? new WindowOwner.Stale(~request.remoteKey, 0) : windows.stale();
        request.remoteKey = ended.key();
        request.remoteAddress = ended.address();
    }

    /** Uses a window of the peer instead of its region, if one is bound to enough of the target. */
    private void aimThroughWindow(Request request) {
        boolean isPossible = application.peer.windows != null && request.error == InjectedError.NONE && request.counter == null
            && !request.operation.isSend() && request.length > 0;
        WindowOwner.Window window = isPossible && random.chance(0.7) ? application.peer.windows.take(request.targetBytes(), random) : null;
        if (window == null) {
            return;
        }
        int free = window.length - request.targetBytes();
        int inside = request.operation.isAtomic() ? 8 * random.between(0, Math.min(3, free / 8))
            : request.operation == Operation.ATOMIC_WRITE ? 8 * random.between(0, free / 8) : random.between(0, free);
        request.window = window;
        window.uses++;
        request.targetOffset = window.offset + inside;
        request.remoteAddress = window.address + inside;
        request.remoteKey = window.key;
        if (request.operation == Operation.COMPARE_AND_SWAP && random.chance(0.7)) {
            request.compare = application.peer.targetModel.valueAhead(request.targetOffset);
        }
    }

    private void aimAtomic(Request request, ApplicationMemory peerMemory) {
        SharedCounter counter = application.connection.sharedCounter(application.peer);
        request.operand = random.chance(0.5) ? random.between(1, 1000) : random.longBits() | 1;
        if (counter != null && request.operation == Operation.FETCH_AND_ADD && request.error == InjectedError.NONE && random.chance(0.3)) {
            request.counter = counter;
            request.remoteAddress = counter.address;
            request.remoteKey = counter.key;
            return;
        }
        // Few offsets, so that atomics conflict.
        request.targetOffset = 8 * random.between(0, Math.min(3, peerMemory.targetBytes / 8 - 1));
        request.remoteAddress = peerMemory.target.address() + request.targetOffset;
        long there = application.peer.targetModel.valueAhead(request.targetOffset);
        request.compare = random.chance(0.7) ? there : random.longBits();
    }

    private void fillSlot(Request request, int slotBytes) {
        application.memory.clear(request.localSlot, slotBytes);
        boolean outgoing = !request.operation.bringsData();
        request.inline = outgoing && request.operation != Operation.FLUSH
            && request.length <= settings.maxInline && request.error == InjectedError.NONE && random.chance(0.5);
        if (outgoing) {
            request.data = new byte[request.length];
            long state = random.longBits();
            for (int i = 0; i < request.length; i++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                request.data[i] = (byte) (state >>> 56);
            }
        }
        request.layout = ElementLayout.cut(random, request.targetBytes(), settings.maxSendElements);
        if (outgoing && !request.inline) {
            request.layout.scatter(application.memory.memory, request.localSlot, request.data);
        }
    }

    /** Fills in the work request to post. */
    void fill(WorkRequest out, Request request) {
        out.id(request.id);
        switch (request.operation) {
            case SEND -> out.send();
            case SEND_WITH_IMMEDIATE -> out.sendWithImmediate(request.immediate);
            case SEND_WITH_INVALIDATE -> out.sendWithInvalidate(request.invalidatedKey);
            case RDMA_WRITE -> out.write(request.remoteAddress, request.remoteKey);
            case RDMA_WRITE_WITH_IMMEDIATE -> out.writeWithImmediate(request.remoteAddress, request.remoteKey, request.immediate);
            case RDMA_READ -> out.read(request.remoteAddress, request.remoteKey);
            case COMPARE_AND_SWAP -> out.compareAndSwap(request.remoteAddress, request.remoteKey, request.compare, request.operand);
            case FETCH_AND_ADD -> out.fetchAndAdd(request.remoteAddress, request.remoteKey, request.operand);
            case ATOMIC_WRITE -> out.atomicWrite(request.remoteAddress, request.remoteKey);
            case FLUSH -> out.flush(request.remoteAddress, request.remoteKey, request.flushBytes, request.flushType, request.flushLevel);
            case BIND_MW, LOCAL_INV, REG_MR, RECEIVE, RECEIVE_RDMA_WITH_IMMEDIATE -> throw new AssertionError("posted elsewhere, or never");
        }
        out.signaled(request.signaled).fence(request.fence).solicited(request.solicited);
        if (request.inline) {
            inlineScratch = request.data.clone();
            out.inline(ByteBuffer.wrap(inlineScratch));
            return;
        }
        if (request.operation == Operation.FLUSH) {
            return;
        }
        long base = application.memory.local.address() + request.localSlot - application.memory.localStart;
        int key = request.error == InjectedError.INVALID_LOCAL_KEY ? ~application.memory.local.lKey() : application.memory.local.lKey();
        for (int i = 0; i < request.layout.offsets.length; i++) {
            out.add(base + request.layout.offsets[i], request.layout.lengths[i], key);
        }
    }

    /** Overwrites the inline buffer: postSend must have copied it. */
    void overwriteInline() {
        Arrays.fill(inlineScratch, (byte) 0x5a);
    }
}
