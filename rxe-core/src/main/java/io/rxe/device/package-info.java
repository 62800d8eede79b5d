/**
 * One NIC: the resources applications hold, and the engines that drive them.
 *
 * <p>{@link io.rxe.device.Nic} implements {@link io.rxe.verbs.Device}; the other {@code Nic...} classes implement the verbs next to it
 * and run on application threads. {@link io.rxe.device.Engine} is the core proper: one per thread, with its own queue pair table,
 * counters and deadlines; {@link io.rxe.device.QueuePairTasks} is a queue pair as its engine sees it.
 *
 * <p>Previous hop of a packet: a socket, or a simulated link, through {@link io.rxe.device.Engine#onPacket}. Next hop: the responder
 * for a request, the completer for a response.
 */
package io.rxe.device;
