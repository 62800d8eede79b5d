package io.rxe.net;

/** How frames get from and to the socket. */
public enum IoPath {
    /** The socket is read and written straight from the event loop: no object for each datagram. The fast one. */
    DIRECT,
    /** An ordinary Netty datagram channel with its pipeline. Slower; there to compare with and to fall back to. */
    PIPELINE
}
