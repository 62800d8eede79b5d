package io.rxe.sim;

import io.rxe.device.NicInspection;
import io.rxe.memory.Region;
import io.rxe.port.Flow;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The responder of one queue pair as rdma_rxe of kernel 6.1 has it. A go-back-N receiver:
 *
 * <ul>
 *   <li>discards requests behind a gap and NAKs once, until the expected request arrives;
 *   <li>sends an RNR NAK without remembering it, so that the next request behind it causes a PSN sequence NAK for the same PSN;
 *   <li>acknowledges each packet with AckReq by itself, and every duplicate SEND or WRITE with the PSN of the last request executed, which
 *       may be an atomic;
 *   <li>keeps a ring of responder resources, a power of two, and overwrites the oldest;
 *   <li>replays a READ from the address that the duplicate asks for, beginning with MIDDLE or LAST, and then forgets what lies before.
 * </ul>
 *
 * <p>Source: rules R1, R4 to R8 of docs/rules.md with the deviations of rdma_rxe, and the captures they cite.
 */
final class RxeResponder {
    /** A READ or an atomic that a duplicate may ask for again. */
    private static final class Resource {
        int firstPsn;
        int packets;
        boolean isAtomic;
        long address;
        int key;
        long bytes;
        long original;
    }

    private record Receive(int slot, ElementLayout layout, long id) {
    }

    private final Application application;
    private final int mtu;
    private final Resource[] ring;
    private final ArrayDeque<byte[]> responses = new ArrayDeque<>();
    private final ArrayDeque<Receive> receives = new ArrayDeque<>();
    /** Completions of receives that the application has not polled. */
    final ArrayDeque<WorkCompletion> completions = new ArrayDeque<>();
    private final Icrc icrc = new Icrc();
    private final Flow flow;
    private int ringNext;
    private int expectedPsn;
    private int ackPsn;
    private int msn;
    private boolean nakSent;
    private Receive receive;
    private byte[] message = new byte[0];
    private int messageBytes;
    private long writeAddress;
    private int writeKey;
    private int ipId;

    /** @param application whose memory it serves; its peer is connected. */
    RxeResponder(Application application) {
        this.application = application;
        this.mtu = application.settings.mtu.bytes();
        this.ring = new Resource[Math.max(1, Integer.highestOneBit(2 * application.settings.maxDestRdAtomic - 1))];
        this.expectedPsn = application.peer.settings.startPsn;
        this.ackPsn = Psn.previous(expectedPsn);
        this.flow = new Flow(application.node.gid(), application.peer.node.gid(), 4791, 4791);
    }

    void postReceive(long id, int slot, ElementLayout layout) {
        receives.add(new Receive(slot, layout, id));
    }

    /** The queue pair was moved to ERROR. */
    void flush() {
        if (receive != null) {
            complete(receive.id(), CompletionStatus.WR_FLUSH_ERR, Operation.RECEIVE);
            receive = null;
        }
        for (Receive queued = receives.poll(); queued != null; queued = receives.poll()) {
            complete(queued.id(), CompletionStatus.WR_FLUSH_ERR, Operation.RECEIVE);
        }
    }

    private WorkCompletion complete(long id, CompletionStatus status, Operation operation) {
        WorkCompletion completion = new WorkCompletion().reset(id, status, operation, application.queuePair.number());
        completions.add(completion);
        return completion;
    }

    /** Takes a request with a valid ICRC. */
    void onRequest(byte[] bytes) {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        int psn = Bth.psn(buffer, 0);
        int distance = Psn.subtract(psn, expectedPsn);
        if (distance > 0) {
            application.peer.monitor.onRxeDiscarded(buffer);
            if (!nakSent) {
                nakSent = true;
                acknowledge(expectedPsn, Syndrome.PSN_SEQUENCE_ERROR);
            }
        } else if (distance < 0) {
            duplicate(opcode, psn, buffer);
        } else {
            nakSent = false;
            execute(opcode, psn, buffer, bytes.length);
        }
    }

    private void execute(Opcode opcode, int psn, UnsafeBuffer buffer, int length) {
        if (opcode.isReadRequest()) {
            executeRead(psn, buffer, opcode);
        } else if (opcode.isAtomic()) {
            executeAtomic(psn, buffer, opcode);
        } else if (!takeReceive(opcode)) {
            acknowledge(psn, Syndrome.rnr(application.settings.minRnrTimer));
        } else {
            executePayload(opcode, buffer, HeaderValidator.payloadLength(buffer, 0, length, opcode));
            ackPsn = psn;
            expectedPsn = Psn.next(psn);
            if (opcode.isEnd()) {
                msn = Psn.next(msn);
            }
            if (Bth.isAckRequested(buffer, 0)) {
                acknowledge(psn, Syndrome.ACK_UNLIMITED);
            }
        }
    }

    private boolean takeReceive(Opcode opcode) {
        boolean isNeeded = opcode.isSend() && opcode.isStart() || opcode.isWrite() && opcode.hasImmDt();
        if (isNeeded && receive == null) {
            receive = receives.poll();
        }
        return !isNeeded || receive != null;
    }

    private void executePayload(Opcode opcode, UnsafeBuffer buffer, int payload) {
        int from = opcode.headerLength();
        if (opcode.isStart()) {
            messageBytes = 0;
            if (opcode.hasReth()) {
                writeAddress = Reth.virtualAddress(buffer, opcode.rethOffset());
                writeKey = Reth.rKey(buffer, opcode.rethOffset());
            }
        }
        if (opcode.isWrite() && payload > 0) {
            region(writeKey).write(writeAddress + messageBytes, buffer, from, payload);
        } else if (payload > 0) {
            message = messageBytes + payload > message.length ? Arrays.copyOf(message, 2 * (messageBytes + payload)) : message;
            buffer.getBytes(from, message, messageBytes, payload);
        }
        messageBytes += payload;
        if (opcode.isEnd() && receive != null) {
            endReceive(opcode, buffer);
        }
    }

    private void endReceive(Opcode opcode, UnsafeBuffer buffer) {
        Operation operation = opcode.isSend() ? Operation.RECEIVE : Operation.RECEIVE_RDMA_WITH_IMMEDIATE;
        if (opcode.isSend()) {
            receive.layout().scatter(application.memory.memory, receive.slot(), Arrays.copyOf(message, messageBytes));
        }
        WorkCompletion completion = complete(receive.id(), CompletionStatus.SUCCESS, operation).byteLength(messageBytes)
            .solicited(Bth.isSolicited(buffer, 0));
        if (opcode.hasImmDt()) {
            completion.immediate(ImmDt.immediateData(buffer, opcode.immDtOffset()));
        }
        receive = null;
    }

    private Region region(int key) {
        Region region = NicInspection.region(application.node.nic(), key);
        if (region == null) {
            throw application.fail("a request to rdma_rxe carries the unknown key 0x" + Integer.toHexString(key));
        }
        return region;
    }

    private Resource remember(int psn, int packets) {
        Resource resource = new Resource();
        resource.firstPsn = psn;
        resource.packets = packets;
        ring[ringNext++ % ring.length] = resource;
        return resource;
    }

    private void executeRead(int psn, UnsafeBuffer buffer, Opcode opcode) {
        long bytes = Reth.dmaLength(buffer, opcode.rethOffset());
        int packets = (int) Math.max(1, (bytes + mtu - 1) / mtu);
        Resource resource = remember(psn, packets);
        resource.address = Reth.virtualAddress(buffer, opcode.rethOffset());
        resource.key = Reth.rKey(buffer, opcode.rethOffset());
        resource.bytes = bytes;
        msn = Psn.next(msn);
        expectedPsn = Psn.add(psn, packets);
        respond(resource, psn, resource.address, bytes);
    }

    private void executeAtomic(int psn, UnsafeBuffer buffer, Opcode opcode) {
        int at = opcode.atomicEthOffset();
        long address = AtomicEth.virtualAddress(buffer, at);
        Region region = region(AtomicEth.rKey(buffer, at));
        Resource resource = remember(psn, 1);
        resource.isAtomic = true;
        resource.original = opcode == Opcode.RC_FETCH_ADD ? region.fetchAndAdd(address, AtomicEth.swapOrAdd(buffer, at))
            : region.compareAndSwap(address, AtomicEth.compare(buffer, at), AtomicEth.swapOrAdd(buffer, at));
        msn = Psn.next(msn);
        ackPsn = psn;
        expectedPsn = Psn.next(psn);
        acknowledgeAtomic(resource);
    }

    private void duplicate(Opcode opcode, int psn, UnsafeBuffer buffer) {
        Resource resource = find(psn);
        if (opcode.isReadRequest()) {
            if (resource != null && !resource.isAtomic) {
                replayRead(resource, psn, buffer, opcode);
            }
        } else if (opcode.isAtomic()) {
            if (resource != null && resource.isAtomic) {
                acknowledgeAtomic(resource);
            }
        } else {
            acknowledge(ackPsn, Syndrome.ACK_UNLIMITED);
        }
    }

    private Resource find(int psn) {
        for (Resource resource : ring) {
            if (resource != null && Psn.subtract(psn, resource.firstPsn) >= 0
                && Psn.subtract(psn, Psn.add(resource.firstPsn, resource.packets)) < 0) {
                return resource;
            }
        }
        return null;
    }

    /** The address of a replay becomes that of the resource, and the length stays: what lies before it cannot be requested any more. */
    private void replayRead(Resource resource, int psn, UnsafeBuffer buffer, Opcode opcode) {
        long address = Reth.virtualAddress(buffer, opcode.rethOffset());
        long bytes = Reth.dmaLength(buffer, opcode.rethOffset());
        long skipped = address - resource.address;
        if (skipped < 0 || bytes > resource.bytes - skipped || Reth.rKey(buffer, opcode.rethOffset()) != resource.key) {
            return;
        }
        resource.address = address;
        respond(resource, psn, address, bytes);
    }

    private void respond(Resource resource, int psn, long address, long bytes) {
        int packets = (int) Math.max(1, (bytes + mtu - 1) / mtu);
        for (int i = 0; i < packets; i++) {
            boolean isFirst = i == 0 && psn == resource.firstPsn;
            boolean isLast = i == packets - 1;
            Opcode opcode = isFirst ? isLast ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : Opcode.RC_RDMA_READ_RESPONSE_FIRST
                : isLast ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
            int payload = (int) Math.min(mtu, bytes - (long) i * mtu);
            UnsafeBuffer buffer = packet(opcode, Psn.add(psn, i), payload, Syndrome.ACK_UNLIMITED);
            if (payload > 0) {
                region(resource.key).read(address + (long) i * mtu, buffer, opcode.headerLength(), payload);
            }
        }
    }

    private void acknowledge(int psn, int syndrome) {
        packet(Opcode.RC_ACKNOWLEDGE, psn, 0, syndrome);
    }

    private void acknowledgeAtomic(Resource resource) {
        Opcode opcode = Opcode.RC_ATOMIC_ACKNOWLEDGE;
        AtomicAckEth.write(packet(opcode, resource.firstPsn, 0, Syndrome.ACK_UNLIMITED), opcode.atomicAckEthOffset(), resource.original);
    }

    /** Queues a response with zeros as payload. */
    private UnsafeBuffer packet(Opcode opcode, int psn, int payload, int syndrome) {
        int pad = -payload & 3;
        byte[] bytes = new byte[opcode.headerLength() + payload + pad + Icrc.LENGTH];
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Bth.write(buffer, 0, opcode, false, pad, application.peer.queuePair.number(), false, psn);
        if (opcode.hasAeth()) {
            Aeth.write(buffer, opcode.aethOffset(), syndrome, msn);
        }
        responses.add(bytes);
        return buffer;
    }

    /** The next response to send with its ICRC, or null. */
    Datagram nextResponse(long nowNs) {
        byte[] bytes = responses.poll();
        if (bytes == null) {
            return null;
        }
        ipId = ipId + 1 & 0xFFFF;
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        int covered = bytes.length - Icrc.LENGTH;
        Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, flow.icrcSeed(), flow.isIpv4(), ipId));
        return new Datagram(bytes, flow, ipId, Datagram.Kind.GENUINE, nowNs, application.peer.monitor);
    }
}
