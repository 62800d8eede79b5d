/**
 * The pingpong programs of libibverbs, with the same options, the same bytes on the side channel and the same final
 * lines, so that either end may be the original.
 *
 * <p>{@link io.rxe.tools.pingpong.PingPongExchange} exchanges addresses over a {@link io.rxe.tools.side.PeerLink},
 * {@link io.rxe.tools.pingpong.PingPongEndpoint} holds queue pairs and memory, {@link
 * io.rxe.tools.pingpong.PingPongRun} exchanges the messages. {@code xsrq_pingpong} has pieces of its own, since it
 * serves several clients over XRC: {@link io.rxe.tools.pingpong.XsrqLinks}, {@link
 * io.rxe.tools.pingpong.XsrqEndpoint} and {@link io.rxe.tools.pingpong.XsrqRun}. Uses {@link io.rxe.verbs} and the side channel of {@code
 * io.rxe.tools.side}; must not reach below the verbs.
 */
package io.rxe.tools.pingpong;
