/**
 * The verbs agent of the few cases of {@code tools/interop} that need verbs which libibverbs has not: fast registration, memory for FLUSH
 * to persistence, keep-alives. Executes verbs commands that arrive as text lines on a TCP connection, some of those of {@code
 * tools/interop/agent.py}, which all other cases use on both sides.
 *
 * <p>Uses the public verbs API ({@link io.rxe.verbs}) and {@link io.rxe.net.RxeNic} like any application. Must not reach below them, and
 * only the command line may use it. No packet passes here.
 */
package io.rxe.testkit.agent;
