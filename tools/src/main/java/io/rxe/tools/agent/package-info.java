/**
 * The verbs agent: a program that does with our NIC what text lines on a TCP connection tell it to, so that a test script can drive
 * both ends of a connection and need not know which end is a kernel. {@code tools/peer/README.md} describes the lines;
 * {@code tools/peer/agent.py} answers the same ones on a kernel peer.
 *
 * <p>Uses the public verbs API ({@link io.rxe.verbs}) and {@link io.rxe.net.RxeNic} like any application; it must not use what lies
 * below them, and nothing but the command line may use it. No packet passes here.
 */
package io.rxe.tools.agent;
