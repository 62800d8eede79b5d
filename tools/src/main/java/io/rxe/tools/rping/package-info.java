/**
 * {@code rping} of rdmacm-utils, with the same messages on the wire and the same lines of output, so that either end may be the original.
 * The server serves one client.
 *
 * <p>{@link io.rxe.tools.rping.RpingCommand} has the options and the exchange of both roles in the order in which it happens; {@link
 * io.rxe.tools.rping.PingConnection} connects, posts and waits. Uses {@link io.rxe.cm} and {@link io.rxe.verbs}; must not reach below them.
 */
package io.rxe.tools.rping;
