/**
 * The interfaces through which the core uses its environment: {@link io.rxe.port.PacketSink} (outgoing packets),
 * {@link io.rxe.port.Flow} (addresses and ports of a packet), {@link io.rxe.port.MulticastPort} (multicast groups),
 * {@link io.rxe.port.EngineThread} (running commands on an engine's thread), {@link io.rxe.port.DrivenEngine} (what that thread drives),
 * {@link io.rxe.port.Entropy} (random numbers),
 * {@link io.rxe.port.CounterSpace} (memory for counters), {@link io.rxe.port.EngineObserver} (notification of
 * {@link io.rxe.port.EngineEvent}s), {@link io.rxe.port.QueuePairObserver} (what becomes of a queue pair) and
 * {@link io.rxe.port.RangeFaults} (memory that a program took away). Interfaces and value classes only; of the core it imports only the
 * wire formats.
 *
 * <p>A received packet enters as a buffer with a flow; a sent one leaves through a sink. Under Netty the port is a UDP socket, in the
 * simulation a link in virtual time.
 */
package io.rxe.port;
