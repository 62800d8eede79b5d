package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.Cq;
import io.rxe.ibverbs.Layout.Wc;
import io.rxe.net.process.Sentences;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Deque;
import org.agrona.UnsafeApi;

/** A completion queue of the program: writes completions as {@code ibv_wc}, and reports to its channel. Allocates only at RESET. */
final class ProgramCompletionQueue extends ProgramResource<CompletionQueue> {
    private static final int GRH = 1;
    private static final int WITH_IMM = 1 << 1;
    private static final int WITH_INV = 1 << 3;
    /*
     * What adapters write as service level of a datagram received over RoCE: that it has a UDP header, and the kind of network header.
     * UCX reads it to find the destination in the GRH. Without it, as over rdma_rxe, UCX drops every datagram over IPv4.
     */
    private static final int UDP = 1 << 3;
    private static final int IPV6 = 1;
    private static final int IPV4 = 2;

    private final WorkCompletion completion = new WorkCompletion();
    private final Listener listener;
    private final long timestamps;
    private final byte datagramServiceLevel;
    /** Completions that were taken out of the queue when those of a queue pair were dropped. Guarded by this. */
    private Deque<WorkCompletion> kept = new ArrayDeque<>();
    /** Why the next poll fails; null where it does not. */
    private RuntimeException refused;

    /**
     * @param timestamps where the timestamps of the latest completion are written; 0 for a queue without.
     * @param ipv4       whether datagrams arrive over IPv4, not IPv6.
     */
    ProgramCompletionQueue(CompletionQueue queue, Listener listener, long timestamps, boolean ipv4, ProgramResource<?>... needs) {
        super(queue, needs);
        datagramServiceLevel = (byte) (UDP | (ipv4 ? IPV4 : IPV6));
        this.listener = listener;
        this.timestamps = timestamps;
    }

    /** Reports completions to the {@code ibv_cq} at an address, until the queue is destroyed. Runs on the engines' threads. */
    static final class Listener {
        private final long address;
        private boolean closed;

        Listener(long address) {
            this.address = address;
        }

        CompletionChannel channel() {
            return CompletionChannel.callingAfterAcknowledging(queue -> signal());
        }

        private synchronized void signal() {
            if (!closed) {
                Downcalls.completion(address);
            }
        }

        private synchronized void close() {
            closed = true;
        }
    }

    /** Fills up to {@code count} structures; returns their number. One thread at a time polls. */
    synchronized int poll(int count, long first) {
        if (refused != null) {
            RuntimeException before = refused;
            refused = null;
            throw before;
        }
        int found = 0;
        long wc = first;
        try {
            while (found < count && take(completion)) {
                write(wc);
                wc += Wc.SIZE;
                found++;
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            // What was taken before is the program's.
            if (found == 0) {
                throw e;
            }
            refused = e;
        }
        return found;
    }

    private boolean take(WorkCompletion into) {
        if (kept.isEmpty()) {
            return object().poll(into);
        }
        into.copyFrom(kept.poll());
        return true;
    }

    /** As {@link #take}, without a poll of the program: it is the next one that a fault refuses. */
    private boolean takeUnasked(WorkCompletion into) {
        for (int i = 0; i < 2; i++) {
            try {
                return take(into);
            } catch (IllegalArgumentException | IllegalStateException e) {
                refused = e;
            }
        }
        return false;
    }

    /** Drops the completions of a queue pair that went to RESET, as the libraries of adapters do: programs begin again then. */
    synchronized void drop(QueuePair queuePair) {
        Deque<WorkCompletion> others = new ArrayDeque<>();
        WorkCompletion next = new WorkCompletion();
        while (takeUnasked(next)) {
            if (next.queuePair() != queuePair) {
                others.add(next);
                next = new WorkCompletion();
            }
        }
        kept = others;
    }

    private void write(long wc) {
        UnsafeApi.putLong(wc + Wc.WR_ID, completion.workRequestId());
        UnsafeApi.putInt(wc + Wc.STATUS, completion.status().code());
        UnsafeApi.putInt(wc + Wc.OPCODE, completion.operation().completionCode());
        UnsafeApi.putInt(wc + Wc.VENDOR_ERR, 0);
        UnsafeApi.putInt(wc + Wc.BYTE_LEN, (int) completion.byteLength());
        UnsafeApi.putInt(wc + Wc.QP_NUM, completion.queuePairNumber());
        UnsafeApi.putInt(wc + Wc.SRC_QP, completion.sourceQueuePairNumber());
        int flags = completion.hasGrh() ? GRH : 0;
        int data = 0;
        if (completion.hasImmediate()) {
            flags |= WITH_IMM;
            data = Integer.reverseBytes(completion.immediate());
        } else if (completion.hasInvalidatedKey()) {
            flags |= WITH_INV;
            data = completion.invalidatedKey();
        }
        UnsafeApi.putInt(wc + Wc.IMM_DATA, data);
        UnsafeApi.putInt(wc + Wc.WC_FLAGS, flags);
        // pkey_index, slid, sl and dlid_path_bits: RoCE has no LIDs, and only a datagram says which P_Key it matched.
        UnsafeApi.putLong(wc + Wc.PKEY_INDEX, 0);
        if ((flags & GRH) != 0) {
            UnsafeApi.putByte(wc + Wc.SL, datagramServiceLevel);
            UnsafeApi.putShort(wc + Wc.PKEY_INDEX, (short) completion.partitionKeyIndex());
        }
        if (timestamps != 0) {
            UnsafeApi.putLong(timestamps, completion.timestampNs());
            UnsafeApi.putLong(timestamps + Long.BYTES, completion.wallClockNs());
        }
        if (!completion.isSuccess()) {
            explain();
        }
    }

    private void explain() {
        String text = completion.explanation();
        if (!text.isEmpty()) {
            Sentences.verbose(() -> text);
        }
    }

    /** @param cq {@code ibv_cq}, which gets the new capacity. */
    synchronized void resize(int capacity, long cq) {
        if (kept.size() > capacity) {
            throw VerbFailure.of(VerbError.EINVAL, kept.size() + " completions wait in the queue, more than the " + capacity
                + " it is to hold: poll them first");
        }
        object().resize(capacity);
        UnsafeApi.putInt(cq + Cq.CQE, object().capacity());
    }

    void arm(boolean solicitedOnly) {
        object().requestNotification(solicitedOnly);
    }

    @Override
    void close() throws Exception {
        // First: it may be refused, and then the queue reports as before.
        super.close();
        if (listener != null) {
            listener.close();
        }
    }
}
