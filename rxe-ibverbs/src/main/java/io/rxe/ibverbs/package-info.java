/**
 * The Java half of the library that lets unchanged programs for libibverbs run on this NIC. The C half, in {@code src/main/c}, is
 * preloaded into the program: it defines the functions of libibverbs, starts a JVM in the process, and calls
 * {@link io.rxe.ibverbs.Upcalls}. Java reads and writes the program's structures in place, by address ({@code Layout}), and
 * registers the program's own memory.
 *
 * <p>A work request goes from {@code ibv_post_send} through {@code Upcalls} and {@code ProgramQueuePair} to
 * {@link io.rxe.verbs.QueuePair#postSendDeferred}; a completion comes back through {@code ProgramCompletionQueue}. One transition into
 * Java for each call, and no allocation on the way. Every decision about the protocol is made below {@code io.rxe.verbs}.
 */
package io.rxe.ibverbs;
