/**
 * One NIC: the resources applications hold, and the engines that drive them.
 *
 * <p>{@link io.rxe.device.Nic} implements {@link io.rxe.verbs.Device}; the other {@code Nic...} classes implement the other verbs and run
 * on application threads. {@link io.rxe.device.Engine} drives queue pairs on one thread, with its own queue pair table, counters and
 * deadlines; PacketAdmission decides which packets reach a queue pair, and Gsi is queue pair 1. {@link io.rxe.qp.QueuePairTasks} is the
 * engine's view of a queue pair.
 *
 * <p>Previous hop of a packet: a socket or a simulated link, through {@link io.rxe.device.Engine#onPacket}. Next hop: the responder for
 * a request, the completer for a response.
 */
package io.rxe.device;
