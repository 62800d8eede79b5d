package io.rxe.ibverbs;

import io.rxe.ibverbs.Layout.RecvWr;
import io.rxe.ibverbs.Layout.Sge;
import io.rxe.verbs.ReceiveRequest;
import java.util.function.Predicate;
import org.agrona.UnsafeApi;

/** Posts lists of {@code ibv_recv_wr} to one receive queue. Any thread; allocates nothing. */
final class Receives {
    private final ReceiveRequest request = new ReceiveRequest();
    private final Predicate<ReceiveRequest> queue;

    /** @param queue posts a request; false when it is full. */
    Receives(Predicate<ReceiveRequest> queue) {
        this.queue = queue;
    }

    /**
     * @param first address of the first request, 0 for none.
     * @param bad   where the address of the first request that was not posted is written.
     * @return 0 or an errno.
     */
    synchronized int post(long first, long bad) {
        long wr = first;
        int status = 0;
        try {
            while (wr != 0 && status == 0) {
                if (post(wr)) {
                    wr = UnsafeApi.getLong(wr + RecvWr.NEXT);
                } else {
                    status = Errno.ENOMEM;
                }
            }
        } catch (RuntimeException e) {
            status = Errno.of(e);
        }
        if (status != 0) {
            UnsafeApi.putLong(bad, wr);
        }
        return status;
    }

    private boolean post(long wr) {
        request.clear().id(UnsafeApi.getLong(wr + RecvWr.WR_ID));
        long sge = UnsafeApi.getLong(wr + RecvWr.SG_LIST);
        int elements = UnsafeApi.getInt(wr + RecvWr.NUM_SGE);
        Sends.checkCount(elements);
        long end = sge + (long) Sge.SIZE * elements;
        for (; sge < end; sge += Sge.SIZE) {
            request.add(UnsafeApi.getLong(sge + Sge.ADDR), UnsafeApi.getInt(sge + Sge.LENGTH), UnsafeApi.getInt(sge + Sge.LKEY));
        }
        return queue.test(request);
    }
}
