/**
 * The verbs agent: executes verbs commands that arrive as text lines on a TCP connection, so that a test script can drive both ends of a
 * connection and need not know which end is a kernel. {@code tools/interop/README.md} describes the lines; {@code
 * tools/interop/agent.py} executes the same ones on a kernel peer.
 *
 * <p>Uses the public verbs API ({@link io.rxe.verbs}) and {@link io.rxe.net.RxeNic} like any application. Must not reach below them, and
 * only the command line may use it. No packet passes here.
 */
package io.rxe.testkit.agent;
