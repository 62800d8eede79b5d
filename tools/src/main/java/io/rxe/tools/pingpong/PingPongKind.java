package io.rxe.tools.pingpong;

import io.rxe.verbs.QueuePairType;

/** The pingpongs and in what they differ. */
enum PingPongKind {
    /** One reliable connection. */
    RC(QueuePairType.RC, 4096, 1),
    /** One unreliable connection: a lost packet ends the game. */
    UC(QueuePairType.UC, 4096, 1),
    /** Datagrams: one packet each. */
    UD(QueuePairType.UD, 1024, 1),
    /** Several reliable connections that share a receive queue. */
    SRQ(QueuePairType.RC, 4096, 256);

    private final QueuePairType transport;
    private final int defaultSizeBytes;
    private final int wireAddresses;

    PingPongKind(QueuePairType transport, int defaultSizeBytes, int wireAddresses) {
        this.transport = transport;
        this.defaultSizeBytes = defaultSizeBytes;
        this.wireAddresses = wireAddresses;
    }

    QueuePairType transport() {
        return transport;
    }

    /** Size of a message unless told otherwise. */
    int defaultSizeBytes() {
        return defaultSizeBytes;
    }

    /** How many addresses each side sends, used or not; also the most queue pairs there can be. */
    int wireAddresses() {
        return wireAddresses;
    }

    /** Bytes in front of every message received: the routing header of a datagram. */
    int headerBytes() {
        return this == UD ? 40 : 0;
    }

    /** What the buffer holds at first. */
    byte fill() {
        return (byte) (this == SRQ ? 0 : 0x7b);
    }

    /** Whether there is something to validate. */
    boolean hasValidation() {
        return this != SRQ;
    }
}
