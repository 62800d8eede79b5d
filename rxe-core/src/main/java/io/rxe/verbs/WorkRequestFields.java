package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;
import java.nio.ByteBuffer;

/** What a {@link WorkRequest} holds; {@link WorkRequest} sets it. */
abstract class WorkRequestFields {
    final ScatterGatherList scatterGather = new ScatterGatherList();
    long id;
    Operation operation = Operation.SEND;
    boolean signaled = true;
    boolean solicited;
    boolean fence;
    int immediateOrKey;
    long remoteAddress;
    int remoteKey;
    long compare;
    long swapOrAdd;
    long flushBytes;
    int flushType;
    FlushLevel flushLevel = FlushLevel.RANGE;
    ByteBuffer inlineData;
    AddressHandle addressHandle;
    int remoteQpn;
    int remoteQueueKey;
    MemoryWindow window;
    MemoryBinding binding = MemoryBinding.NONE;
    AllocatedRegion region;
    int localKey;
    int registerAccess;
    String refusal;

    WorkRequestFields() {
    }

    /** Everything but the id is as in a new request. */
    final void reset(Operation newOperation) {
        scatterGather.clear();
        operation = newOperation;
        signaled = true;
        solicited = false;
        fence = false;
        immediateOrKey = 0;
        remoteAddress = 0;
        remoteKey = 0;
        compare = 0;
        swapOrAdd = 0;
        flushBytes = 0;
        flushType = 0;
        flushLevel = FlushLevel.RANGE;
        remoteQpn = 0;
        remoteQueueKey = 0;
        localKey = 0;
        registerAccess = 0;
        refusal = null;
        releaseObjects();
    }

    /** Used by the NIC: copies a request into a slot, but for the objects of {@link #releaseObjects} and the keys that go with them. */
    protected final void copyFrom(WorkRequest other) {
        id = other.id;
        operation = other.operation;
        signaled = other.signaled;
        solicited = other.solicited;
        fence = other.fence;
        immediateOrKey = other.immediateOrKey;
        remoteAddress = other.remoteAddress;
        remoteKey = other.remoteKey;
        compare = other.compare;
        swapOrAdd = other.swapOrAdd;
        flushBytes = other.flushBytes;
        flushType = other.flushType;
        flushLevel = other.flushLevel;
        remoteQpn = other.remoteQpn;
        remoteQueueKey = other.remoteQueueKey;
        refusal = other.refusal;
        scatterGather.copyFrom(other.scatterGather);
    }

    /** Used by the NIC: drops the application's objects, which a posted request needs no more, so that a slot keeps no memory. */
    protected final void releaseObjects() {
        inlineData = null;
        addressHandle = null;
        window = null;
        binding = MemoryBinding.NONE;
        region = null;
    }

    public final long id() {
        return id;
    }

    public final Operation operation() {
        return operation;
    }

    public final boolean isSignaled() {
        return signaled;
    }

    public final boolean isSolicited() {
        return solicited;
    }

    public final boolean isFence() {
        return fence;
    }

    public final boolean isInline() {
        return inlineData != null;
    }

    /** The buffer given to {@link WorkRequest#inline}, or null. */
    public final ByteBuffer inlineData() {
        return inlineData;
    }

    /** Immediate data; {@link #invalidateKey} has the same place. */
    public final int immediate() {
        return immediateOrKey;
    }

    public final int invalidateKey() {
        return immediateOrKey;
    }

    public final long remoteAddress() {
        return remoteAddress;
    }

    public final int remoteKey() {
        return remoteKey;
    }

    public final long compareValue() {
        return compare;
    }

    public final long swapOrAddValue() {
        return swapOrAdd;
    }

    /** Bytes that a FLUSH names. */
    public final long flushBytes() {
        return flushBytes;
    }

    /** Bits of {@link FlushType}. */
    public final int flushType() {
        return flushType;
    }

    public final FlushLevel flushLevel() {
        return flushLevel;
    }

    /** Destination of a datagram, or null. */
    public final AddressHandle addressHandle() {
        return addressHandle;
    }

    /** Destination QPN of a datagram, or the shared receive queue of an XRC request. */
    public final int remoteQpn() {
        return remoteQpn;
    }

    public final int remoteQueueKey() {
        return remoteQueueKey;
    }

    /** The window to bind, or null. */
    public final MemoryWindow window() {
        return window;
    }

    /** What the window is bound to. */
    public final MemoryBinding binding() {
        return binding;
    }

    /** The region to register, or null. */
    public final AllocatedRegion allocatedRegion() {
        return region;
    }

    /** The new key of a binding or a registration, or the key that LOCAL_INV ends. */
    public final int localKey() {
        return localKey;
    }

    /** Access rights that REG_MR grants. */
    public final int registerAccess() {
        return registerAccess;
    }

    /** Why it fails when its turn comes, or null. */
    public final String refusal() {
        return refusal;
    }

    public final ScatterGatherList scatterGather() {
        return scatterGather;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(96).append("wr ").append(id).append(' ').append(operation).append(" of ");
        if (inlineData != null) {
            text.append(inlineData.remaining()).append(" inline bytes");
        } else {
            text.append(scatterGather);
        }
        if (operation.isWrite() || operation.isReadOrAtomic()) {
            text.append(", remote address 0x").append(Long.toHexString(remoteAddress)).append(" rkey 0x")
                .append(Integer.toHexString(remoteKey));
        }
        if (operation == Operation.SEND_WITH_IMMEDIATE || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE) {
            text.append(", immediate 0x").append(Integer.toHexString(immediateOrKey));
        }
        if (addressHandle != null) {
            text.append(", to ").append(addressHandle.vector().destination()).append(" QPN 0x").append(Integer.toHexString(remoteQpn));
        }
        return text.append(signaled ? ", signaled" : "").append(solicited ? ", solicited" : "").append(fence ? ", fence" : "").toString();
    }
}
