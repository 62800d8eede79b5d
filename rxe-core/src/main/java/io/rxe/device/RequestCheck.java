package io.rxe.device;

import io.rxe.memory.ScatterGatherList;
import io.rxe.port.Flow;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.Device;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Psn;

/** Refuses requests that a queue pair could never carry out, before they are queued. Allocates nothing for good ones. Any thread. */
class RequestCheck {
    private final Device port;
    private final QueuePairContext pair;
    private final QueuePairConfig config;
    private final RegionCheck regions;

    RequestCheck(Device port, QueuePairContext pair, QueuePairConfig config, RegionCheck regions) {
        this.port = port;
        this.pair = pair;
        this.config = config;
        this.regions = regions;
    }

    /** @throws IllegalArgumentException naming the value, the limit and the remedy. */
    void check(WorkRequest request) {
        Operation operation = request.operation();
        if (!request.hasOperation()) {
            throw new IllegalArgumentException("the request has no operation: name one, such as send() or write(...), before its elements");
        }
        if (request.refusal() != null && !operation.isLocal()) {
            return;
        }
        if (!operation.isPostable() || pair.type() != QueuePairType.RC && !isAllowed(operation)) {
            throw new IllegalArgumentException("a " + pair.type() + " queue pair cannot post " + operation + advice());
        }
        if (pair.type().isAddressed()) {
            checkAddress(request);
        } else if (request.addressHandle() != null) {
            throw new IllegalArgumentException("a request of a connected queue pair (" + pair.type() + ") has a destination: leave to(...)"
                + " out, or post it to a UD queue pair");
        }
        if (operation.isLocal()) {
            return;
        }
        if (request.isInline()) {
            checkInline(request);
            return;
        }
        ScatterGatherList list = request.scatterGather();
        if (list.count() > config.maxSendElements()) {
            throw new IllegalArgumentException("send request with " + list.count() + " elements > maxSendElements "
                + config.maxSendElements() + ": use fewer, or create the queue pair with more");
        }
        if (list.totalBytes() > ScatterGatherList.MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("message of " + list.totalBytes() + " bytes > "
                + ScatterGatherList.MAX_MESSAGE_BYTES + ": split it");
        }
        if (operation.isReadOrAtomic()) {
            checkReadAtomicLimit(operation);
        }
        if (operation == Operation.FLUSH) {
            checkFlush(request);
        } else if (operation == Operation.ATOMIC_WRITE) {
            checkAtomicWrite(request, list.totalBytes());
        }
        regions.check(list, operation.bringsData() ? AccessFlags.LOCAL_WRITE : 0, operation);
    }

    /**
     * The last look at a send request, in its slot; false where the queue counts as full. Only a NIC with faults about posts loads a class
     * that overrides this, so that for all others the JIT compiler, which knows the classes there are, leaves nothing of it in a post.
     */
    boolean take(SendWqe slot) {
        return true;
    }

    /** What other types than RC can post. */
    private boolean isAllowed(Operation operation) {
        boolean isPlainSend = operation == Operation.SEND || operation == Operation.SEND_WITH_IMMEDIATE;
        return switch (pair.type()) {
            case RC -> true;
            case UC -> isPlainSend || operation.isWrite() || operation.isLocal();
            case UD -> isPlainSend;
            // A window serves the queue pair it is bound to, and this one serves nobody.
            case XRC_SEND -> operation != Operation.BIND_MW;
            case XRC_RECV -> false;
        };
    }

    private String advice() {
        return pair.type() == QueuePairType.XRC_RECV ? ": it has no send queue, post to an XRC_SEND queue pair" : "";
    }

    private void checkAddress(WorkRequest request) {
        if (pair.type() == QueuePairType.UD) {
            checkDatagram(request);
        } else if (!request.operation().isLocal() && (request.remoteQpn() < 1 || request.remoteQpn() > Psn.MASK)) {
            throw new IllegalArgumentException("shared receive queue 0x" + Integer.toHexString(request.remoteQpn())
                + " is not in 1..0xffffff: set the peer's number with toSharedReceiveQueue");
        }
    }

    private void checkDatagram(WorkRequest request) {
        if (request.addressHandle() == null) {
            throw new IllegalArgumentException("a datagram needs a destination: set it with to(...)");
        }
        Flow flow = request.addressHandle().flow();
        if (flow.source() != port.gid() && !flow.source().equals(port.gid()) || flow.sourcePort() != port.udpPort()) {
            throw new IllegalArgumentException("the address handle for " + flow + " belongs to another device than the queue pair's "
                + port.gid() + " port " + port.udpPort() + ": create it in a protection domain of this one");
        }
        if (request.remoteQpn() < 1 || request.remoteQpn() > Psn.MASK) {
            throw new IllegalArgumentException("destination QPN 0x" + Integer.toHexString(request.remoteQpn())
                + " is not in 1..0xffffff");
        }
        long bytes = request.isInline() ? request.inlineData().remaining() : request.scatterGather().totalBytes();
        if (bytes > port.portMtu().bytes()) {
            throw new IllegalArgumentException("datagram of " + bytes + " bytes > port MTU " + port.portMtu().bytes()
                + ": a UD message is a single packet; send less, or raise the interface MTU");
        }
    }

    private void checkInline(WorkRequest request) {
        int bytes = request.inlineData().remaining();
        if (bytes > config.maxInlineBytes()) {
            throw new IllegalArgumentException("inline data of " + bytes + " bytes > maxInlineBytes " + config.maxInlineBytes()
                + ": use registered memory, or create the queue pair with more");
        }
        if (request.operation().bringsData()) {
            throw new IllegalArgumentException(request.operation() + " brings data back and cannot be inline: add a memory region");
        }
        if (request.operation() == Operation.FLUSH) {
            throw new IllegalArgumentException("FLUSH moves no data: leave inline out");
        }
        if (request.operation() == Operation.ATOMIC_WRITE) {
            checkReadAtomicLimit(request.operation());
            checkAtomicWrite(request, bytes);
        }
    }

    private void checkReadAtomicLimit(Operation operation) {
        if (pair.attributes().maxRdAtomic() == 0) {
            throw new IllegalArgumentException(operation + " on a queue pair with MAX_RD_ATOMIC 0 could never be sent:"
                + " set MAX_RD_ATOMIC to at least 1");
        }
    }

    private static void checkFlush(WorkRequest request) {
        if (request.scatterGather().count() != 0) {
            throw new IllegalArgumentException("FLUSH with " + request.scatterGather().count() + " elements: it moves no data, add none");
        }
        if (request.flushType() == 0 || (request.flushType() & ~FlushType.ALL) != 0) {
            throw new IllegalArgumentException("FLUSH of type 0x" + Integer.toHexString(request.flushType())
                + ": combine the constants of FlushType");
        }
        if (request.flushBytes() < 0 || request.flushBytes() > ScatterGatherList.MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("FLUSH of " + request.flushBytes() + " bytes is not in 0.."
                + ScatterGatherList.MAX_MESSAGE_BYTES + ": use several, or flush the whole region");
        }
    }

    private static void checkAtomicWrite(WorkRequest request, long bytes) {
        if ((request.remoteAddress() & 7) != 0) {
            throw new IllegalArgumentException("ATOMIC_WRITE at remote address 0x" + Long.toHexString(request.remoteAddress())
                + ": it needs 8 byte alignment");
        }
        if (bytes != Long.BYTES) {
            throw new IllegalArgumentException("ATOMIC_WRITE of " + bytes + " bytes: it writes exactly 8");
        }
    }

    /** @throws IllegalArgumentException naming the value, the limit and the remedy. */
    void check(ReceiveRequest request) {
        ScatterGatherList list = request.scatterGather();
        if (list.count() > config.maxReceiveElements()) {
            throw new IllegalArgumentException("receive request with " + list.count() + " elements > maxReceiveElements "
                + config.maxReceiveElements() + ": use fewer, or create the queue pair with more");
        }
        regions.check(list, AccessFlags.LOCAL_WRITE, Operation.RECEIVE);
    }
}
