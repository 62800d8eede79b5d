package io.rxe.disni;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import io.rxe.net.process.Sentences;
import io.rxe.verbs.WorkCompletion;
import java.io.IOException;

/** Polls a completion queue into the program's completions. Allocates nothing. One thread at a time runs it. */
final class PollCall extends SVCPollCq {
    private static final String CALL = "Polling CQ failed";
    private static final int GRH = 1;
    private static final int WITH_IMM = 1 << 1;
    private static final int WITH_INV = 1 << 3;
    /** Empty polls after which a program that spins gives its processor to the engines. */
    private static final int PATIENCE = 4;

    private final DisniCompletionQueue queue;
    private final IbvWC[] completions;
    private final WorkCompletion completion = new WorkCompletion();
    private final int count;
    private int found;
    private int emptyPolls;
    private boolean valid = true;
    /** Why the next run fails; null where it does not. */
    private RuntimeException refused;

    /** @param count of the array's entries that are filled at most. */
    PollCall(DisniCompletionQueue queue, IbvWC[] completions, int count) {
        this.queue = queue;
        this.completions = completions;
        this.count = Math.min(count, completions.length);
    }

    @Override
    public SVCPollCq execute() throws IOException {
        found = 0;
        Failure.requireOpen(queue.isOpen(), "Trying to poll closed CQ.");
        if (refused != null) {
            RuntimeException before = refused;
            refused = null;
            throw Failure.refused(CALL, before);
        }
        try {
            while (found < count && queue.queue().poll(completion)) {
                write(completions[found]);
                found++;
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            // What was taken before is the program's.
            if (found == 0) {
                throw Failure.refused(CALL, e);
            }
            refused = e;
        }
        if (found > 0) {
            emptyPolls = 0;
        } else if (++emptyPolls > PATIENCE) {
            Thread.yield();
        }
        return this;
    }

    private void write(IbvWC wc) {
        wc.setWr_id(completion.workRequestId());
        wc.setStatus(completion.status().code());
        wc.setOpcode(completion.operation().completionCode());
        wc.setVendor_err(0);
        wc.setByte_len((int) completion.byteLength());
        wc.setQp_num(completion.queuePairNumber());
        wc.setSrc_qp(completion.sourceQueuePairNumber());
        int flags = completion.hasGrh() ? GRH : 0;
        int data = 0;
        if (completion.hasImmediate()) {
            flags |= WITH_IMM;
            // In network order, as in the structure of libibverbs.
            data = Integer.reverseBytes(completion.immediate());
        } else if (completion.hasInvalidatedKey()) {
            flags |= WITH_INV;
            data = completion.invalidatedKey();
        }
        wc.setImm_data(data);
        wc.setWc_flags(flags);
        if (!completion.isSuccess() && !completion.explanation().isEmpty()) {
            Sentences.verbose(completion::explanation);
        }
    }

    @Override
    public int getPolls() {
        return found;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCPollCq free() {
        valid = false;
        return this;
    }
}
