package io.rxe.net;

/** How frames get from and to the socket. */
public enum IoPath {
    /** The event loop reads and writes the socket itself, without an object for each datagram. The fast one. */
    DIRECT,
    /** An ordinary Netty datagram channel with its pipeline. Slower; for comparison, and as a fallback. */
    PIPELINE
}
