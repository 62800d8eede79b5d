package io.rxe.ibverbs;

import io.rxe.ibverbs.Layout.Wc;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkCompletion;
import org.agrona.UnsafeApi;

/** A completion queue of the program: writes completions as {@code ibv_wc}, and reports to its channel. Allocates nothing. */
final class ProgramCompletionQueue extends Resource<CompletionQueue> {
    private static final int GRH = 1;
    private static final int WITH_IMM = 1 << 1;
    private static final int WITH_INV = 1 << 3;
    private static final int[] OPCODES = opcodes();

    private final WorkCompletion completion = new WorkCompletion();
    private final Listener listener;

    ProgramCompletionQueue(CompletionQueue queue, Listener listener) {
        super(queue);
        this.listener = listener;
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

    private static int[] opcodes() {
        int[] codes = new int[Operation.values().length];
        codes[Operation.RDMA_WRITE.ordinal()] = 1;
        codes[Operation.RDMA_WRITE_WITH_IMMEDIATE.ordinal()] = 1;
        codes[Operation.RDMA_READ.ordinal()] = 2;
        codes[Operation.COMPARE_AND_SWAP.ordinal()] = 3;
        codes[Operation.FETCH_AND_ADD.ordinal()] = 4;
        codes[Operation.RECEIVE.ordinal()] = 128;
        codes[Operation.RECEIVE_RDMA_WITH_IMMEDIATE.ordinal()] = 129;
        return codes;
    }

    /** Fills up to {@code count} structures; returns their number. One thread at a time polls. */
    synchronized int poll(int count, long first) {
        int found = 0;
        long wc = first;
        while (found < count && object().poll(completion)) {
            write(wc);
            wc += Wc.SIZE;
            found++;
        }
        return found;
    }

    private void write(long wc) {
        UnsafeApi.putLong(wc + Wc.WR_ID, completion.workRequestId());
        UnsafeApi.putInt(wc + Wc.STATUS, completion.status().code());
        UnsafeApi.putInt(wc + Wc.OPCODE, OPCODES[completion.operation().ordinal()]);
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
        // pkey_index, slid, sl and dlid_path_bits: RoCE has no LIDs, and one partition.
        UnsafeApi.putLong(wc + Wc.PKEY_INDEX, 0);
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

    void arm(boolean solicitedOnly) {
        object().requestNotification(solicitedOnly);
    }

    @Override
    void close() throws Exception {
        if (listener != null) {
            listener.close();
        }
        super.close();
    }
}
