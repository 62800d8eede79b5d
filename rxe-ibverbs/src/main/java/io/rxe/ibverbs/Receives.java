package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.ibverbs.Layout.RecvWr;
import io.rxe.ibverbs.Layout.Sge;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import java.util.function.Supplier;
import org.agrona.UnsafeApi;

/** Posts lists of {@code ibv_recv_wr}, which it reads into the slots of one receive queue. Any thread; allocates nothing. */
final class Receives {
    private final Supplier<RequestBatch<ReceiveRequest>> queue;

    /** @param queue begins to post. */
    Receives(Supplier<RequestBatch<ReceiveRequest>> queue) {
        this.queue = queue;
    }

    /**
     * @param first address of the first request, 0 for none.
     * @param bad   where the address of the first request that was not posted is written.
     * @return 0 or an errno.
     */
    int post(long first, long bad) {
        long wr = first;
        int status = 0;
        try (RequestBatch<ReceiveRequest> batch = queue.get()) {
            while (wr != 0 && status == 0) {
                fill(wr, batch.next());
                if (batch.post()) {
                    wr = UnsafeApi.getLong(wr + RecvWr.NEXT);
                } else {
                    status = VerbError.ENOMEM.number();
                }
            }
        } catch (RuntimeException | Error e) {
            status = Errno.of(e);
        }
        if (status != 0) {
            UnsafeApi.putLong(bad, wr);
        }
        return status;
    }

    private static void fill(long wr, ReceiveRequest request) {
        request.id(UnsafeApi.getLong(wr + RecvWr.WR_ID));
        long sge = UnsafeApi.getLong(wr + RecvWr.SG_LIST);
        int elements = UnsafeApi.getInt(wr + RecvWr.NUM_SGE);
        Sends.checkCount(elements);
        long end = sge + (long) Sge.SIZE * elements;
        for (; sge < end; sge += Sge.SIZE) {
            request.add(UnsafeApi.getLong(sge + Sge.ADDR), Sends.lengthBytes(sge), UnsafeApi.getInt(sge + Sge.LKEY));
        }
    }
}
