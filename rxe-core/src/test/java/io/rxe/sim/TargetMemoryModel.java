package io.rxe.sim;

import io.rxe.verbs.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/**
 * Reference model of the target memory, which exactly one peer queue pair changes. {@code base} is the content after all requests known to
 * be complete, in posting order; {@code ahead} is the content after all posted requests.
 */
final class TargetMemoryModel {
    private final ByteBuffer memory;
    private final int start;
    final int bytes;
    private final ByteBuffer base;
    private final ByteBuffer ahead;

    TargetMemoryModel(ByteBuffer memory, int start, int bytes) {
        this.memory = memory;
        this.start = start;
        this.bytes = bytes;
        this.base = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        this.ahead = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        rebase();
    }

    /** Sets the model to the present content of the memory. */
    void rebase() {
        memory.get(start, base.array());
        memory.get(start, ahead.array());
    }

    /** Value at an offset after all posted requests are executed. */
    long valueAhead(int offset) {
        return ahead.getLong(offset);
    }

    /** A request was posted. */
    void posted(Request request) {
        if (request.error == InjectedError.NONE) {
            apply(ahead, request);
        }
    }

    private static void apply(ByteBuffer image, Request request) {
        if (!request.changesTarget()) {
            return;
        }
        if (request.writes()) {
            image.put(request.targetOffset, request.data);
        } else {
            image.putLong(request.targetOffset, valueAfter(request, image.getLong(request.targetOffset)));
        }
    }

    private static long valueAfter(Request request, long before) {
        if (request.operation == Operation.FETCH_AND_ADD) {
            return before + request.operand;
        }
        return before == request.compare ? request.operand : before;
    }

    /** Value an atomic must return when all requests before it are complete. */
    long original(Request request) {
        return base.getLong(request.targetOffset);
    }

    /**
     * A WRITE or atomic completed with success: its bytes must be in memory, unless a later request overwrote them. It becomes part of
     * the base.
     *
     * @param later requests posted after it.
     */
    void completed(Request request, Iterable<Request> later) {
        if (!request.changesTarget()) {
            return;
        }
        apply(base, request);
        byte[] actual = new byte[request.targetBytes()];
        memory.get(start + request.targetOffset, actual);
        int wrong = firstUnexplained(request, actual, later, false);
        if (wrong >= 0) {
            throw new SimulationFailure(request + " completed, but byte " + wrong + " of it is not in the peer's memory");
        }
    }

    /** Checks the data of a READ: the base, or bytes that later unfenced requests have already written. */
    void checkRead(Request request, byte[] brought, Iterable<Request> later) {
        int wrong = firstUnexplained(request, brought, later, true);
        if (wrong >= 0) {
            throw new SimulationFailure(request + " of target offset " + request.targetOffset + " returned 0x"
                + Integer.toHexString(brought[wrong] & 0xFF) + " at byte " + wrong + "; expected 0x"
                + Integer.toHexString(base.get(request.targetOffset + wrong) & 0xFF) + ", and no later request explains it");
        }
    }

    private int firstUnexplained(Request request, byte[] actual, Iterable<Request> later, boolean untilFence) {
        int from = request.targetOffset;
        if (ByteBuffer.wrap(actual).equals(base.slice(from, actual.length))) {
            return -1;
        }
        for (int i = 0; i < actual.length; i++) {
            if (actual[i] != base.get(from + i) && !explains(from + i, actual[i], later, untilFence)) {
                return i;
            }
        }
        return -1;
    }

    private boolean explains(int offset, byte value, Iterable<Request> later, boolean untilFence) {
        for (Request request : later) {
            if (untilFence && request.fence || request.error != InjectedError.NONE) {
                return false;
            }
            int inside = offset - request.targetOffset;
            if (!request.changesTarget() || inside < 0 || inside >= request.targetBytes()) {
                continue;
            }
            byte left = request.writes() ? request.data[inside] : valueAfterLater(request, later).get(inside);
            if (left == value) {
                return true;
            }
        }
        return false;
    }

    /** The result of an atomic depends on all requests before it. */
    private ByteBuffer valueAfterLater(Request wanted, Iterable<Request> later) {
        ByteBuffer image = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        image.put(0, base, 0, bytes);
        for (Request request : later) {
            apply(image, request);
            if (request == wanted) {
                break;
            }
        }
        return image.slice(wanted.targetOffset, Long.BYTES);
    }

    /** All requests are complete: every byte of memory must equal the model. */
    void checkFinal() {
        int wrong = base.slice(0, bytes).mismatch(memory.slice(start, bytes));
        if (wrong >= 0) {
            throw new SimulationFailure("target byte " + wrong + " is 0x" + Integer.toHexString(memory.get(start + wrong) & 0xFF)
                + " in memory and 0x" + Integer.toHexString(base.get(wrong) & 0xFF) + " in the model, although all requests are complete");
        }
    }

    /**
     * The requester failed: memory must be the base after a prefix of the open requests. The last request of the prefix may be executed
     * up to a packet boundary only.
     */
    void checkPrefix(ArrayDeque<Request> open, int mtu) {
        ByteBuffer image = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        image.put(0, base, 0, bytes);
        ByteBuffer actual = memory.slice(start, bytes);
        if (image.equals(actual)) {
            return;
        }
        for (Request request : open) {
            if (request.error != InjectedError.NONE) {
                break;
            }
            if (!request.changesTarget()) {
                continue;
            }
            if (request.writes()) {
                for (int at = 0; at < request.length; at += mtu) {
                    image.put(request.targetOffset + at, request.data, at, Math.min(mtu, request.length - at));
                    if (image.equals(actual)) {
                        return;
                    }
                }
            } else {
                apply(image, request);
                if (image.equals(actual)) {
                    return;
                }
            }
        }
        throw new SimulationFailure("after a failure the target memory matches no prefix of the " + open.size()
            + " open requests, executed in order");
    }
}
