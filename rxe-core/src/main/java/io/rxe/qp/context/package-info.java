/**
 * What requester, responder and completer of a queue pair share: identity, attributes and state, received and outbound packets, receive
 * queue and completion rings, the NAK delay.
 *
 * <p>Must not use the machines themselves. Everything here belongs to the engine thread, except the application's ends of the rings it
 * posts to and polls. Previous hop: {@link io.rxe.device}, which wraps a received packet. Next hop: the machine that processes it, and the
 * application through a completion ring.
 */
package io.rxe.qp.context;
