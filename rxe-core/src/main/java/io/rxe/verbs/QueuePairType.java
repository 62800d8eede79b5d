package io.rxe.verbs;

import io.rxe.wire.Transport;

/** Transport service of a queue pair. */
public enum QueuePairType {
    /** Reliable connection: acknowledged, in order, exactly once. */
    RC(Transport.RC),
    /** Unreliable connection: one peer, in order, not acknowledged; losing a packet loses its message. */
    UC(Transport.UC),
    /** Unreliable datagram: messages of one packet, to any peer, not acknowledged. */
    UD(Transport.UD);

    private final Transport transport;

    QueuePairType(Transport transport) {
        this.transport = transport;
    }

    /** {@return the transport whose opcodes its packets carry} */
    public Transport transport() {
        return transport;
    }
}
