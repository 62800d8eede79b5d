package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.Ah;
import io.rxe.ibverbs.Layout.SendWr;
import io.rxe.ibverbs.Layout.Sge;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Posts lists of {@code ibv_send_wr}, which it reads into the slots of one send queue. Any thread; allocates nothing, but for a binding.
 */
final class Sends {
    static final int FENCE = 1;
    static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;

    /** Bits that a queue pair number has; the others of its field are ignored, as by rdma_rxe. */
    private static final int NUMBER = 0xFF_FFFF;

    /* ibv_wr_opcode. */
    private static final int RDMA_WRITE = 0;
    private static final int RDMA_WRITE_WITH_IMM = 1;
    private static final int SEND = 2;
    private static final int SEND_WITH_IMM = 3;
    private static final int RDMA_READ = 4;
    private static final int ATOMIC_CMP_AND_SWP = 5;
    private static final int ATOMIC_FETCH_AND_ADD = 6;
    private static final int LOCAL_INV = 7;
    private static final int BIND_MW = 8;
    private static final int SEND_WITH_INV = 9;
    private static final int FLUSH = 14;
    private static final int ATOMIC_WRITE = 15;

    private final QueuePair queuePair;
    private final boolean datagrams;
    private final boolean xrc;
    private final Handles<ProgramAddressHandle> addressHandles;
    private final Windows windows;
    private final ProgramFaults faults;
    /** Gathers the elements of an inline request. Guarded by the queue: only a thread that posts uses it. */
    private final ByteBuffer inline;
    private final long inlineAddress;

    Sends(QueuePair queuePair, int maxInlineBytes, Handles<ProgramAddressHandle> addressHandles, Windows windows,
          ProgramFaults faults) {
        this.queuePair = queuePair;
        this.datagrams = queuePair.type() == QueuePairType.UD;
        this.xrc = queuePair.type() == QueuePairType.XRC_SEND;
        this.addressHandles = addressHandles;
        this.windows = windows;
        this.faults = faults;
        this.inline = ByteBuffer.allocateDirect(maxInlineBytes);
        this.inlineAddress = BufferUtil.address(inline);
    }

    /**
     * @param first address of the first request, 0 for none.
     * @param bad   where the address of the first request that was not posted is written; 0 to post all or none.
     * @return 0 or an errno.
     */
    int post(long first, long bad) {
        long wr = first;
        int status = 0;
        try (RequestBatch<WorkRequest> batch = queuePair.beginSends()) {
            try {
                for (; wr != 0; wr = UnsafeApi.getLong(wr + SendWr.NEXT)) {
                    fill(wr, batch.next());
                    if (!batch.post()) {
                        status = VerbError.ENOMEM.number();
                        break;
                    }
                    if (UnsafeApi.getInt(wr + SendWr.OPCODE) == BIND_MW) {
                        windows.writeKey(UnsafeApi.getLong(wr + SendWr.BIND_MW), UnsafeApi.getInt(wr + SendWr.BIND_RKEY));
                    }
                }
            } finally {
                if (wr != 0 && bad == 0) {
                    batch.withdraw();
                }
            }
        } catch (RuntimeException | Error e) {
            status = Errno.of(e);
        }
        if (status != 0 && bad != 0) {
            UnsafeApi.putLong(bad, wr);
        }
        return status;
    }

    private void fill(long wr, WorkRequest request) {
        int flags = UnsafeApi.getInt(wr + SendWr.SEND_FLAGS);
        setOperation(wr, request);
        request.id(UnsafeApi.getLong(wr + SendWr.WR_ID)).signaled((flags & SIGNALED) != 0).solicited((flags & SOLICITED) != 0)
            .fence((flags & FENCE) != 0);
        if (datagrams) {
            long ah = UnsafeApi.getLong(wr + SendWr.AH);
            if (ah == 0) {
                throw VerbFailure.of(VerbError.EINVAL, "a datagram without an address handle: set wr.ud.ah");
            }
            setDestination(wr, ah, request);
        }
        if (xrc) {
            request.toSharedReceiveQueue(UnsafeApi.getInt(wr + SendWr.REMOTE_SRQN));
        }
        long sge = UnsafeApi.getLong(wr + SendWr.SG_LIST);
        int elements = UnsafeApi.getInt(wr + SendWr.NUM_SGE);
        checkCount(elements);
        if ((flags & INLINE) != 0) {
            gather(sge, elements, request);
        } else {
            for (int i = 0; i < elements; i++, sge += Sge.SIZE) {
                request.add(UnsafeApi.getLong(sge + Sge.ADDR), lengthBytes(sge), UnsafeApi.getInt(sge + Sge.LKEY));
            }
        }
    }

    /** What cannot be carried out is no error of the post here, but completes with LOC_QP_OP_ERR, as over rdma_rxe. */
    private void setDestination(long wr, long ah, WorkRequest request) {
        if (request.operation() != Operation.SEND && request.operation() != Operation.SEND_WITH_IMMEDIATE) {
            request.refuse("a UD queue pair cannot carry out " + request.operation());
            return;
        }
        try {
            request.to(addressHandles.get(UnsafeApi.getInt(ah + Ah.HANDLE)).handle(), UnsafeApi.getInt(wr + SendWr.REMOTE_QPN) & NUMBER,
                UnsafeApi.getInt(wr + SendWr.REMOTE_QKEY));
        } catch (VerbFailure.Failed e) {
            request.refuse(e.getMessage());
        }
    }

    /** Refuses a count of elements that is none. */
    static void checkCount(int elements) {
        if (elements < 0) {
            throw VerbFailure.of(VerbError.EINVAL, "num_sge is " + elements + ": it counts the elements of sg_list");
        }
    }

    /** Of an {@code ibv_sge}, which counts to 2^32 - 1. */
    static long lengthBytes(long sge) {
        return UnsafeApi.getInt(sge + Sge.LENGTH) & 0xFFFF_FFFFL;
    }

    /** Immediate data is in network order in the structure; keys and addresses are not. */
    private void setOperation(long wr, WorkRequest request) {
        int opcode = UnsafeApi.getInt(wr + SendWr.OPCODE);
        long address = UnsafeApi.getLong(wr + SendWr.REMOTE_ADDR);
        int key = UnsafeApi.getInt(wr + SendWr.RDMA_RKEY);
        int immediate = UnsafeApi.getInt(wr + SendWr.IMM_DATA);
        switch (opcode) {
            case RDMA_WRITE -> request.write(address, key);
            case RDMA_WRITE_WITH_IMM -> request.writeWithImmediate(address, key, Integer.reverseBytes(immediate));
            case SEND -> request.send();
            case SEND_WITH_IMM -> request.sendWithImmediate(Integer.reverseBytes(immediate));
            case RDMA_READ -> request.read(address, key);
            case ATOMIC_CMP_AND_SWP -> request.compareAndSwap(address, UnsafeApi.getInt(wr + SendWr.ATOMIC_RKEY),
                UnsafeApi.getLong(wr + SendWr.COMPARE_ADD), UnsafeApi.getLong(wr + SendWr.SWAP));
            case ATOMIC_FETCH_AND_ADD -> request.fetchAndAdd(address, UnsafeApi.getInt(wr + SendWr.ATOMIC_RKEY),
                UnsafeApi.getLong(wr + SendWr.COMPARE_ADD));
            case LOCAL_INV -> request.localInvalidate(immediate);
            case BIND_MW -> request.bindWindow(windows.at(UnsafeApi.getLong(wr + SendWr.BIND_MW)), UnsafeApi.getInt(wr + SendWr.BIND_RKEY),
                windows.readBinding(wr + SendWr.BIND_INFO));
            case SEND_WITH_INV -> request.sendWithInvalidate(immediate);
            case FLUSH -> setFlush(wr, address, request);
            case ATOMIC_WRITE -> request.atomicWrite(address, key);
            default -> throw VerbFailure.of(VerbError.EOPNOTSUPP, "work request with opcode " + opcode
                + " is not supported: TSO and those of particular adapters are missing");
        }
    }

    /** As {@code wr_flush} of {@code qpex.c} has put it. */
    private static void setFlush(long wr, long address, WorkRequest request) {
        long kind = UnsafeApi.getLong(wr + SendWr.SWAP);
        request.flush(address, UnsafeApi.getInt(wr + SendWr.ATOMIC_RKEY), UnsafeApi.getLong(wr + SendWr.COMPARE_ADD), (int) kind & 0xFF,
            kind >>> 8 == 0 ? FlushLevel.RANGE : FlushLevel.REGION);
    }

    private void gather(long list, int elements, WorkRequest request) {
        int bytes = 0;
        for (long sge = list; sge < list + (long) elements * Sge.SIZE; sge += Sge.SIZE) {
            long length = lengthBytes(sge);
            if (length > inline.capacity() - bytes) {
                throw VerbFailure.of(VerbError.EINVAL, "inline data of " + (bytes + length) + " bytes > max_inline_data "
                    + inline.capacity() + ": create the queue pair with more");
            }
            faults.copyInline(UnsafeApi.getLong(sge + Sge.ADDR), inlineAddress + bytes, length);
            bytes += (int) length;
        }
        request.inline(inline.limit(bytes));
    }
}
