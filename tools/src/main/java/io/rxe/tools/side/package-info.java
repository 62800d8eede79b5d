/**
 * The TCP connection beside the traffic, over which the programs that interoperate with stock ones exchange addresses: {@link
 * io.rxe.tools.side.PeerLink}, and {@link io.rxe.tools.side.SideLink} over a socket. Blocking calls of one thread; no packet passes here.
 */
package io.rxe.tools.side;
