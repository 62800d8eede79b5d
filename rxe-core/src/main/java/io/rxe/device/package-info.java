/**
 * One NIC: the resources applications hold, and the engines that drive them.
 *
 * <pre>
 *   resources   Nic, NicProtectionDomain, NicQueuePair, NicCompletionQueue, ...     the verbs, on application threads
 *                 |  commands, doorbells                  ^ DeviceState: an engine failed
 *   engine      Engine, QueuePairTable, PacketAdmission, Gsi, EngineFailure, ...    one thread each
 *   values      NicConfig, DeviceState, EventQueue, DeviceClock, DeviceLimits, ...  used by both
 * </pre>
 *
 * <p>{@link io.rxe.device.Nic} implements {@link io.rxe.verbs.Device} and, for connection management, {@link io.rxe.device.QueuePairs};
 * the other {@code Nic...} classes implement the other verbs. They know each other, because a resource is of a domain, which is of a NIC,
 * and a NIC closes what it created. SendEnd, ReceiveEnd, BatchEnd, RequestCheck and LocalPost are the application's end of a queue.
 * {@link io.rxe.device.Engine} drives queue pairs, with its own queue pair table, counters and deadlines, and knows no resource;
 * PacketAdmission decides which packets reach a queue pair, and Gsi is queue pair 1. {@link io.rxe.qp.QueuePairTasks} is the engine's view
 * of a queue pair.
 *
 * <p>Previous hop of a packet: a socket or a simulated link, through {@link io.rxe.device.Engine#onPacket}. Next hop: the responder for
 * a request, the completer for a response.
 */
package io.rxe.device;
