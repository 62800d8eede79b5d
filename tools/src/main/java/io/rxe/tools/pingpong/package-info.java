/**
 * The pingpong programs of libibverbs over RC, UC, UD and a shared receive queue, with the same bytes on the side channel and the same
 * final lines, so that either end may be the original.
 *
 * <p>{@link io.rxe.tools.pingpong.PingPongExchange} exchanges addresses over a {@link io.rxe.tools.side.PeerLink}, {@link
 * io.rxe.tools.pingpong.PingPongEndpoint} holds queue pairs and memory, {@link io.rxe.tools.pingpong.PingPongRun} exchanges the messages.
 * Uses {@link io.rxe.verbs}; must not reach below it.
 */
package io.rxe.tools.pingpong;
