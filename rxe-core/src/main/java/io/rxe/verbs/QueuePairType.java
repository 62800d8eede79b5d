package io.rxe.verbs;

import io.rxe.wire.Transport;

/** Transport service of a queue pair. */
public enum QueuePairType {
    /** Reliable connection: acknowledged, in order, exactly once. */
    RC(Transport.RC),
    /** Unreliable connection: one peer, in order, not acknowledged; losing a packet loses its message. */
    UC(Transport.UC),
    /** Unreliable datagram: messages of one packet, to any peer, not acknowledged. */
    UD(Transport.UD),
    /**
     * Initiator of an extended reliable connection: sends as RC does, and each request names a shared receive queue of the peer. It has
     * no receive queue and receives responses only.
     */
    XRC_SEND(Transport.XRC),
    /**
     * Target of an extended reliable connection: receives for all shared receive queues of its {@link XrcDomain}. It has neither a send
     * queue nor a receive queue of its own.
     */
    XRC_RECV(Transport.XRC);

    private final Transport transport;
    private final boolean addressed;

    QueuePairType(Transport transport) {
        this.transport = transport;
        this.addressed = transport == Transport.UD || transport == Transport.XRC;
    }

    /** {@return whether each request says for whom it is: UD names a queue pair, XRC_SEND a shared receive queue} */
    public boolean isAddressed() {
        return addressed;
    }

    /** {@return the transport whose opcodes its packets carry} */
    public Transport transport() {
        return transport;
    }
}
