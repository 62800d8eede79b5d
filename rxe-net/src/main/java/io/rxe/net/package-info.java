/**
 * A NIC on a real network: opens the sockets, starts the event loops and drives one engine on each. Public: {@link io.rxe.net.RxeNic}
 * and what its methods take and return.
 *
 * <pre>
 *   io.rxe.net            RxeNic, its options and events; NicAssembly puts the parts together
 *     .drive              who drives an engine: a loop, or threads that poll
 *       .socket           UDP sockets, batches in both directions
 *       .observe          captures, counter files, Java Flight Recorder
 *         .port           public: UdpPort and its counters
 *     .fault              public: faults made on purpose; on port
 *     .host               what the host and the Java runtime offer; alone
 *     .process            public: settings and sentences of unchanged programs; above RxeNic
 * </pre>
 *
 * <p>Imports only go down, and socket, observe and fault do not see each other; a test holds these walls.
 *
 * <p>A received packet: kernel, {@link io.rxe.net.port.UdpPort} (one datagram, or a GRO batch that {@code GroSplitter} cuts in place),
 * an iteration of {@link io.rxe.net.drive.EngineDriver}, then {@code io.rxe.device.Engine.onPacket}. A sent one: {@code Engine.poll},
 * {@link io.rxe.net.socket.EpollPacketSink} (batch and ICRC), {@link io.rxe.net.port.UdpPort}, kernel. A capture or a fault is a
 * {@link io.rxe.net.port.UdpPort} around that of the socket. A multicast group has a socket of its own for each engine
 * ({@link io.rxe.net.MulticastSockets}), which only receives: every datagram it returns was sent to the group.
 *
 * <p>A NIC that is closed, or whose process exits in order ({@code ExitHook}), ends its connections before its engines stop.
 * {@link io.rxe.net.NicEvents} waits for completions, connection events and asynchronous events together.
 *
 * <p>The drivers know no queue pairs or completions; those are the core's. Besides the core only Netty (public classes), Agrona and
 * JCTools are used.
 */
package io.rxe.net;
