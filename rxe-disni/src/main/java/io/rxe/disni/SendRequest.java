package io.rxe.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend.RdmaMod;
import com.ibm.disni.verbs.SVCPostSend.SendWRMod;
import com.ibm.disni.verbs.SVCPostSend.SgeMod;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/** A request of a {@link PostSendCall}: a copy of the program's {@code IbvSendWR}, which it may change between two runs. */
final class SendRequest implements SendWRMod {
    private static final int FENCE = 1;
    private static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;

    private final Element[] elements;
    private final int opcode;
    private final int immediate;
    private final Remote remote;
    private final long compareOrAdd;
    private final long swap;
    private long id;
    private int flags;

    /** @throws RuntimeException {@link VerbFailure} when the number of elements and their list do not fit together. */
    SendRequest(IbvSendWR request) {
        id = request.getWr_id();
        opcode = request.getOpcode();
        flags = request.getSend_flags();
        immediate = request.getImm_data();
        boolean atomic = opcode == IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD;
        remote = atomic ? new Remote(request.getAtomic().getRemote_addr(), request.getAtomic().getRkey())
            : new Remote(request.getRdma().getRemote_addr(), request.getRdma().getRkey());
        compareOrAdd = request.getAtomic().getCompare_add();
        swap = request.getAtomic().getSwap();
        elements = Element.copies(request.getSg_list(), request.getNum_sge());
    }

    /** The remote side of a WRITE, READ or atomic. */
    private static final class Remote implements RdmaMod {
        private long address;
        private int key;
        private int reserved;

        Remote(long address, int key) {
            this.address = address;
            this.key = key;
        }

        @Override
        public void setRemote_addr(long newAddress) {
            address = newAddress;
        }

        @Override
        public long getRemote_addr() {
            return address;
        }

        @Override
        public void setRkey(int newKey) {
            key = newKey;
        }

        @Override
        public int getRkey() {
            return key;
        }

        @Override
        public void setReserved(int value) {
            reserved = value;
        }

        @Override
        public int getReserved() {
            return reserved;
        }
    }

    /**
     * Writes the request for a post. Immediate data is in network order in the structure of libibverbs, and so in DiSNI's.
     *
     * @param inline has room for the inline data of the queue pair.
     * @throws RuntimeException {@link VerbFailure} for an operation that does not exist and for too much inline data.
     */
    void fill(WorkRequest target, ByteBuffer inline) {
        target.clear();
        int data = Integer.reverseBytes(immediate);
        switch (opcode) {
            case IbvSendWR.IBV_WR_RDMA_WRITE -> target.write(remote.address, remote.key);
            case IbvSendWR.IBV_WR_RDMA_WRITE_WITH_IMM -> target.writeWithImmediate(remote.address, remote.key, data);
            case IbvSendWR.IBV_WR_SEND -> target.send();
            case IbvSendWR.IBV_WR_SEND_WITH_IMM -> target.sendWithImmediate(data);
            case IbvSendWR.IBV_WR_RDMA_READ -> target.read(remote.address, remote.key);
            case IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP -> target.compareAndSwap(remote.address, remote.key, compareOrAdd, swap);
            case IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD -> target.fetchAndAdd(remote.address, remote.key, compareOrAdd);
            default -> throw VerbFailure.of(VerbError.EINVAL, "opcode " + opcode + " is not in 0..6: use the constants of IbvSendWR");
        }
        target.id(id).signaled((flags & SIGNALED) != 0).solicited((flags & SOLICITED) != 0).fence((flags & FENCE) != 0);
        if ((flags & INLINE) != 0) {
            target.inline(gather(inline));
        } else {
            for (Element element : elements) {
                target.add(element.getAddr(), element.getLength(), element.getLkey());
            }
        }
    }

    private ByteBuffer gather(ByteBuffer inline) {
        inline.clear();
        for (Element element : elements) {
            if (element.getLength() < 0 || element.getLength() > inline.remaining()) {
                throw VerbFailure.of(VerbError.EINVAL, "inline data of " + (inline.position() + (element.getLength() & 0xFFFF_FFFFL))
                    + " bytes > max_inline_data " + inline.capacity() + ": create the queue pair with more");
            }
            if (element.getLength() > 0) {
                inline.put(NativeMemory.buffer(element.getAddr(), element.getLength()));
            }
        }
        return inline.flip();
    }

    @Override
    public void setWr_id(long newId) {
        id = newId;
    }

    @Override
    public long getWr_id() {
        return id;
    }

    @Override
    public void setSend_flags(int newFlags) {
        flags = newFlags;
    }

    @Override
    public int getSend_flags() {
        return flags;
    }

    @Override
    public int getNum_sge() {
        return elements.length;
    }

    @Override
    public int getOpcode() {
        return opcode;
    }

    @Override
    public RdmaMod getRdmaMod() {
        return remote;
    }

    @Override
    public SgeMod getSgeMod(int index) {
        return elements[index];
    }
}
