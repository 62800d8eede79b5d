package io.rxe.sim;

import io.rxe.verbs.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/**
 * The reference model of memory that exactly one peer queue pair changes. {@code base} is the memory after every request known to be
 * complete, in posting order; {@code ahead} after every request posted.
 */
final class TargetWindow {
    private final ByteBuffer memory;
    private final int start;
    final int bytes;
    private final ByteBuffer base;
    private final ByteBuffer ahead;

    TargetWindow(ByteBuffer memory, int start, int bytes) {
        this.memory = memory;
        this.start = start;
        this.bytes = bytes;
        this.base = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        this.ahead = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        rebase();
    }

    /** Takes what is in memory for right. */
    void rebase() {
        memory.get(start, base.array());
        memory.get(start, ahead.array());
    }

    /** Value an atomic will find there once everything posted so far is executed. */
    long valueAhead(int offset) {
        return ahead.getLong(offset);
    }

    /** A request was posted. */
    void posted(Request request) {
        if (request.wrong == Wrong.NONE) {
            apply(ahead, request);
        }
    }

    private static void apply(ByteBuffer image, Request request) {
        if (!request.changesWindow()) {
            return;
        }
        if (request.operation.isWrite()) {
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

    /** Value an atomic has to bring back when all before it are complete. */
    long original(Request request) {
        return base.getLong(request.targetOffset);
    }

    /**
     * A WRITE or atomic completed with success: it must be in memory already, unless a later one covers it. Then it becomes part of the
     * base.
     *
     * @param later requests posted after it.
     */
    void completed(Request request, Iterable<Request> later) {
        if (!request.changesWindow()) {
            return;
        }
        apply(base, request);
        byte[] actual = new byte[request.windowBytes()];
        memory.get(start + request.targetOffset, actual);
        int wrong = firstUnexplained(request, actual, later, false);
        if (wrong >= 0) {
            throw new SimulationFailure(request + " completed, but byte " + wrong + " of it is not in the peer's memory");
        }
    }

    /** Checks what a READ brought: the base, or what requests posted after it and not fenced from it have written meanwhile. */
    void checkRead(Request request, byte[] brought, Iterable<Request> later) {
        int wrong = firstUnexplained(request, brought, later, true);
        if (wrong >= 0) {
            throw new SimulationFailure(request + " of window offset " + request.targetOffset + " brought 0x"
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
            if (untilFence && request.fence || request.wrong != Wrong.NONE) {
                return false;
            }
            int inside = offset - request.targetOffset;
            if (!request.changesWindow() || inside < 0 || inside >= request.windowBytes()) {
                continue;
            }
            byte left = request.operation.isWrite() ? request.data[inside] : laterValue(request, later).get(inside);
            if (left == value) {
                return true;
            }
        }
        return false;
    }

    /** What an atomic leaves depends on all before it. */
    private ByteBuffer laterValue(Request wanted, Iterable<Request> later) {
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

    /** Everything posted is complete: memory is what the model says, to the last byte. */
    void checkFinal() {
        int wrong = base.slice(0, bytes).mismatch(memory.slice(start, bytes));
        if (wrong >= 0) {
            throw new SimulationFailure("window byte " + wrong + " is 0x" + Integer.toHexString(memory.get(start + wrong) & 0xFF)
                + " in memory and 0x" + Integer.toHexString(base.get(wrong) & 0xFF) + " in the model, although all requests are complete");
        }
    }

    /**
     * The requester failed: memory must be the base with the first so many of the open requests executed, the last of them perhaps only
     * as far as some packet.
     */
    void checkPrefix(ArrayDeque<Request> open, int mtu) {
        ByteBuffer image = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        image.put(0, base, 0, bytes);
        ByteBuffer actual = memory.slice(start, bytes);
        if (image.equals(actual)) {
            return;
        }
        for (Request request : open) {
            if (request.wrong != Wrong.NONE) {
                break;
            }
            if (!request.changesWindow()) {
                continue;
            }
            if (request.operation.isWrite()) {
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
        throw new SimulationFailure("after a failure the window is not what any number of the " + open.size()
            + " open requests, executed in order, would have made of it");
    }
}
