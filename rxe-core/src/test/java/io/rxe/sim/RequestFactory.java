package io.rxe.sim;

import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Draws the requests of one endpoint and turns them into work requests. */
final class RequestFactory {
    private static final Operation[] OPERATIONS = {
        Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.SEND_WITH_INVALIDATE, Operation.RDMA_WRITE,
        Operation.RDMA_WRITE_WITH_IMMEDIATE, Operation.RDMA_READ, Operation.COMPARE_AND_SWAP, Operation.FETCH_AND_ADD
    };

    private final Endpoint endpoint;
    private final EndpointSettings settings;
    private final Dice dice;
    private byte[] inlineScratch = new byte[0];

    RequestFactory(Endpoint endpoint, Dice dice) {
        this.endpoint = endpoint;
        this.settings = endpoint.settings;
        this.dice = dice;
    }

    /** Draws the request with an id, and prepares its slot of local memory. */
    Request draw(long id, int slotBytes) {
        boolean wrong = id == settings.wrongAt;
        Operation operation = wrong ? operationFor(settings.wrong) : drawOperation();
        Request request = new Request(id, operation, drawLength(operation, wrong));
        request.wrong = wrong ? settings.wrong : Wrong.NONE;
        request.fence = dice.chance(settings.fenceChance);
        request.solicited = request.takesReceive() && dice.chance(0.3);
        request.immediate = dice.bits();
        if (operation == Operation.SEND_WITH_INVALIDATE) {
            request.invalidatedKey = endpoint.peer.disposable().poll().rKey();
        }
        request.localSlot = endpoint.memory.localStart + (int) (id % settings.sendDepth) * slotBytes;
        aim(request);
        fillSlot(request, slotBytes);
        return request;
    }

    private static Operation operationFor(Wrong wrong) {
        return switch (wrong) {
            case MISALIGNED_ATOMIC -> Operation.FETCH_AND_ADD;
            case SHORT_RECEIVE, NONE, BAD_RECEIVE_KEY -> Operation.SEND;
            case UNKNOWN_REMOTE_KEY, FOREIGN_DOMAIN -> Operation.RDMA_READ;
            case BEHIND_THE_REGION, NO_RIGHT, BAD_LOCAL_KEY -> Operation.RDMA_WRITE;
        };
    }

    private Operation drawOperation() {
        int sum = Arrays.stream(settings.mix).sum();
        int at = dice.between(0, sum - 1);
        for (int i = 0; i < OPERATIONS.length; i++) {
            at -= settings.mix[i];
            if (at < 0) {
                boolean none = OPERATIONS[i] == Operation.SEND_WITH_INVALIDATE && endpoint.peer.disposable().isEmpty();
                return none ? Operation.SEND : OPERATIONS[i];
            }
        }
        throw new AssertionError("weights do not add up");
    }

    private int drawLength(Operation operation, boolean wrong) {
        int mtu = settings.mtu.bytes();
        int most = settings.maxMessage;
        if (operation.isAtomic()) {
            return Long.BYTES;
        }
        if (wrong) {
            return settings.wrong == Wrong.SHORT_RECEIVE ? most + dice.between(1, mtu) : dice.between(1, most);
        }
        int drawn = switch (dice.between(0, 9)) {
            case 0 -> 0;
            case 1 -> dice.between(1, 8);
            case 2 -> mtu + dice.between(-1, 1);
            case 3 -> mtu * dice.between(1, 4);
            case 4, 5 -> dice.between(1, mtu);
            default -> dice.between(1, most);
        };
        return Math.min(drawn, most);
    }

    private void aim(Request request) {
        EndpointMemory target = endpoint.peer.memory;
        int free = Math.max(0, target.windowBytes - request.windowBytes());
        request.remoteKey = target.window.rKey();
        if (request.operation.isAtomic()) {
            aimAtomic(request, target);
        } else {
            request.targetOffset = dice.between(0, free);
            request.remoteAddress = target.window.address() + request.targetOffset;
        }
        if (request.length == 0 && dice.chance(0.5)) {
            // Nothing is touched, so neither key nor address count (rule R10).
            request.remoteKey = dice.bits();
            request.remoteAddress = dice.longBits();
        }
        switch (request.wrong) {
            case UNKNOWN_REMOTE_KEY -> request.remoteKey = ~request.remoteKey;
            case FOREIGN_DOMAIN -> request.remoteKey = target.foreign.rKey();
            case NO_RIGHT -> request.remoteKey = target.closed.rKey();
            case BEHIND_THE_REGION -> request.remoteAddress = target.window.address() + target.windowBytes
                - dice.between(0, request.length - 1);
            case NONE, MISALIGNED_ATOMIC, SHORT_RECEIVE, BAD_RECEIVE_KEY, BAD_LOCAL_KEY -> {
                // The target is right.
            }
        }
    }

    private void aimAtomic(Request request, EndpointMemory target) {
        SharedCounter counter = endpoint.connection.sharedCounter(endpoint.peer);
        request.operand = dice.chance(0.5) ? dice.between(1, 1000) : dice.longBits() | 1;
        if (counter != null && request.operation == Operation.FETCH_AND_ADD && request.wrong == Wrong.NONE && dice.chance(0.3)) {
            request.counter = counter;
            request.remoteAddress = counter.address;
            request.remoteKey = counter.key;
            return;
        }
        // A few places only, so that atomics meet each other.
        request.targetOffset = 8 * dice.between(0, Math.min(3, target.windowBytes / 8 - 1));
        request.remoteAddress = target.window.address() + request.targetOffset;
        long there = endpoint.peer.window.valueAhead(request.targetOffset);
        request.compare = dice.chance(0.7) ? there : dice.longBits();
    }

    private void fillSlot(Request request, int slotBytes) {
        for (int i = 0; i < slotBytes; i += Long.BYTES) {
            endpoint.memory.memory.putLong(request.localSlot + i, 0xa5a5a5a5a5a5a5a5L);
        }
        boolean outgoing = !request.operation.isReadOrAtomic();
        request.inline = outgoing && request.length <= settings.maxInline && request.wrong == Wrong.NONE && dice.chance(0.5);
        if (outgoing) {
            request.data = new byte[request.length];
            long state = dice.longBits();
            for (int i = 0; i < request.length; i++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                request.data[i] = (byte) (state >>> 56);
            }
        }
        request.pieces = Pieces.cut(dice, request.windowBytes(), settings.maxSendElements);
        if (outgoing && !request.inline) {
            request.pieces.scatter(endpoint.memory.memory, request.localSlot, request.data);
        }
    }

    /** Fills in what is posted. */
    void fill(WorkRequest out, Request request) {
        out.clear().id(request.id).signaled(request.signaled).fence(request.fence).solicited(request.solicited);
        switch (request.operation) {
            case SEND -> out.send();
            case SEND_WITH_IMMEDIATE -> out.sendWithImmediate(request.immediate);
            case SEND_WITH_INVALIDATE -> out.sendWithInvalidate(request.invalidatedKey);
            case RDMA_WRITE -> out.write(request.remoteAddress, request.remoteKey);
            case RDMA_WRITE_WITH_IMMEDIATE -> out.writeWithImmediate(request.remoteAddress, request.remoteKey, request.immediate);
            case RDMA_READ -> out.read(request.remoteAddress, request.remoteKey);
            case COMPARE_AND_SWAP -> out.compareAndSwap(request.remoteAddress, request.remoteKey, request.compare, request.operand);
            case FETCH_AND_ADD -> out.fetchAndAdd(request.remoteAddress, request.remoteKey, request.operand);
            case RECEIVE, RECEIVE_RDMA_WITH_IMMEDIATE -> throw new AssertionError("not postable");
        }
        if (request.inline) {
            inlineScratch = request.data.clone();
            out.inline(ByteBuffer.wrap(inlineScratch));
            return;
        }
        long base = endpoint.memory.local.address() + request.localSlot - endpoint.memory.localStart;
        int key = request.wrong == Wrong.BAD_LOCAL_KEY ? ~endpoint.memory.local.lKey() : endpoint.memory.local.lKey();
        for (int i = 0; i < request.pieces.offsets.length; i++) {
            out.add(base + request.pieces.offsets[i], request.pieces.lengths[i], key);
        }
    }

    /** Inline data was copied by the post; what the application does with it afterwards is its own business. */
    void spoilInline() {
        Arrays.fill(inlineScratch, (byte) 0x5a);
    }
}
