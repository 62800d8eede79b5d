/**
 * The TCP connection over which test programs (pingpong, perftest) exchange queue pair numbers, PSNs and keys before the first packet:
 * {@link io.rxe.tools.side.SideChannel}, blocking calls on top of Netty, and {@link io.rxe.tools.side.SideLink}, as a client or a server
 * uses it. Uses no command and no NIC.
 */
package io.rxe.tools.side;
