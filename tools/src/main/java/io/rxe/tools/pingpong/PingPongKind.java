package io.rxe.tools.pingpong;

import io.rxe.verbs.QueuePairType;

/** The pingpong programs and their differences. */
enum PingPongKind {
    /** One reliable connection. */
    RC(QueuePairType.RC, 4096, 1),
    /** One unreliable connection: a lost packet stalls the run. */
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

    /** Default size of a message. */
    int defaultSizeBytes() {
        return defaultSizeBytes;
    }

    /** Number of addresses each side sends, used or not; also the largest number of queue pairs. */
    int wireAddresses() {
        return wireAddresses;
    }

    /** Bytes before every received message: the GRH of a datagram. */
    int headerBytes() {
        return this == UD ? 40 : 0;
    }

    /** Initial value of every byte of the buffer. */
    byte fill() {
        return (byte) (this == SRQ ? 0 : 0x7b);
    }

    /** Whether the program can validate data. */
    boolean hasValidation() {
        return this != SRQ;
    }
}
