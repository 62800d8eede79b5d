package io.rxe.tools.rdmacm;

import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/** One UD queue pair of udaddy, with one buffer for all its messages. One thread. */
final class DatagramNode implements AutoCloseable {
    private static final int GRH_BYTES = 40;

    private final ManagedNic nic;
    private final int messages;
    private final int sizeBytes;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final ByteBuffer memory;
    private final MemoryRegion region;
    private AddressHandle peer;
    private int peerQpn;
    private int peerQueueKey;
    private int sent;
    private int received;

    /** @param messages each way. */
    DatagramNode(ManagedNic nic, int messages, int sizeBytes) {
        this.nic = nic;
        this.messages = messages;
        this.sizeBytes = sizeBytes;
        domain = nic.device().allocateProtectionDomain();
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, nic.completions(), nic.completions())
            .withRequests(Math.max(1, messages), Math.max(1, messages)).withElements(1, 1));
        ConnectionService.prepare(queuePair);
        memory = ByteBuffer.allocateDirect(GRH_BYTES + sizeBytes);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        ReceiveRequest receive = new ReceiveRequest().add(region, 0, memory.capacity());
        for (int i = 0; i < messages; i++) {
            queuePair.postReceive(receive);
        }
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Client: sets the destination that SIDR has resolved. */
    void sendTo(ConnectionTerms terms) {
        peer = domain.createAddressHandle(terms.peer());
        peerQpn = terms.remoteQpn();
        peerQueueKey = terms.remoteQueueKey();
    }

    /** Sends all messages, each with our number as immediate data. */
    void sendAll(boolean signaled) {
        WorkRequest request = new WorkRequest().sendWithImmediate(queuePair.number()).to(peer, peerQpn, peerQueueKey)
            .signaled(signaled).add(region, 0, sizeBytes);
        for (int i = 0; i < messages; i++) {
            if (!queuePair.postSend(request)) {
                throw new AssertionError("the send queue is full with " + queuePair.outstandingSends() + " requests");
            }
        }
    }

    void onCompletion(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            throw new ToolFailure(RdmaCmMessages.failure(completion, "a datagram", peerText()));
        }
        if (completion.operation() != Operation.RECEIVE) {
            sent++;
            return;
        }
        received++;
        if (peer == null) {
            setPeerToSender(completion);
        }
    }

    /** Server: the GRH holds the client's address, the immediate data its queue pair number. */
    private void setPeerToSender(WorkCompletion completion) {
        AddressVector sender = AddressVector.ofSender(memory);
        peer = domain.createAddressHandle(AddressVector.to(sender.destination(), nic.device().udpPort()));
        peerQpn = completion.hasImmediate() ? completion.immediate() : completion.sourceQueuePairNumber();
        peerQueueKey = ConnectParameters.DEFAULT_QUEUE_KEY;
    }

    /** The peer, if known, for error messages. */
    String peerText() {
        return peer == null ? "a client" : HostNames.text(peer.vector().destination());
    }

    int received() {
        return received;
    }

    boolean hasReceivedAll() {
        return received >= messages;
    }

    boolean hasSentAll() {
        return sent >= messages;
    }

    @Override
    public void close() {
        queuePair.close();
        region.close();
        domain.close();
    }
}
