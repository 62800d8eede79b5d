/**
 * What the world outside supplies to the core: a place to put packets, the identity of a path, randomness, and a way onto the
 * thread that drives an engine. Interfaces and value classes only; imports nothing of the core but the wire formats.
 *
 * <p>A packet comes in from here as a buffer with a {@link io.rxe.port.Flow} and goes out through a
 * {@link io.rxe.port.PacketSink}. Under Netty the port is a UDP socket; in the simulation it is a link in virtual time.
 */
package io.rxe.port;
