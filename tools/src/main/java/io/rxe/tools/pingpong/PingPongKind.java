package io.rxe.tools.pingpong;

import io.rxe.verbs.QueuePairType;

/** The pingpong programs and their differences. */
enum PingPongKind {
    RC(QueuePairType.RC, "messages with a peer over a reliable connection", 4096, 1),
    /** A lost packet stalls the run. */
    UC(QueuePairType.UC, "messages with a peer over an unreliable connection", 4096, 1),
    /** One packet each. */
    UD(QueuePairType.UD, "datagrams with a peer", 1024, 1),
    SRQ(QueuePairType.RC, "messages over several connections that share a receive queue", 4096, 256);

    private final QueuePairType transport;
    private final String exchanges;
    private final int defaultSizeBytes;
    private final int wireAddresses;

    PingPongKind(QueuePairType transport, String exchanges, int defaultSizeBytes, int wireAddresses) {
        this.transport = transport;
        this.exchanges = exchanges;
        this.defaultSizeBytes = defaultSizeBytes;
        this.wireAddresses = wireAddresses;
    }

    String command() {
        return name().toLowerCase() + "_pingpong";
    }

    QueuePairType transport() {
        return transport;
    }

    /** What it exchanges, in words. */
    String exchanges() {
        return exchanges;
    }

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
}
