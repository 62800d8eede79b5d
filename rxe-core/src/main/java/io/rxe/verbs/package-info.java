/**
 * The verbs of the InfiniBand architecture as Java types. This is the public API; the packages below it may change.
 *
 * <p>Resources ({@link io.rxe.verbs.Device}, {@link io.rxe.verbs.ProtectionDomain}, {@link io.rxe.verbs.MemoryRegion},
 * {@link io.rxe.verbs.CompletionQueue}, {@link io.rxe.verbs.QueuePair}) are {@code AutoCloseable} and may be closed in any order, twice,
 * and while packets arrive. What is closed refuses every call but its getters and says what was closed; a queue pair whose completion
 * queue or shared receive queue is closed goes to ERROR. Requests and completions
 * ({@link io.rxe.verbs.WorkRequest}, {@link io.rxe.verbs.ReceiveRequest}, {@link io.rxe.verbs.WorkCompletion}) are mutable objects
 * that an application creates once and reuses: posting and polling allocate nothing.
 *
 * <p><b>Threads.</b> Resources may be used by any number of threads at the same time, as in libibverbs: several may post to one queue pair
 * and poll one completion queue. Requests and completions belong to one thread at a time.
 *
 * <p><b>Waiting.</b> A call whose description says that it waits for the engine runs as a command there, and returns when it has run: after
 * what the engine does now, a listener of the application included. Everything else does not wait, but {@code await}, for an event. In a
 * listener a command for the same engine runs at once; where threads in listeners would wait for each other's engines in a circle, one call
 * throws {@code IllegalStateException}. A thread with too little stack left gets {@code StackOverflowError} before the call has begun.
 *
 * <p><b>Errors.</b> An argument out of range throws {@code IllegalArgumentException}, a call in the wrong state throws
 * {@code IllegalStateException}; the message states the value, the limit and the remedy. A full queue is not an error: the call
 * returns false. A request that fails after it was posted completes with a {@link io.rxe.verbs.CompletionStatus} and an explanation.
 *
 * <p><b>Next hop</b> of a posted request: {@link io.rxe.ring.Ring}, then the requester. <b>Previous hop</b> of a completion: the
 * completer or the responder, through a completion ring.
 *
 * <h2>Glossary</h2>
 * <dl>
 * <dt>QP</dt><dd>queue pair: a send queue and a receive queue, connected (RC, UC) or not (UD)</dd>
 * <dt>CQ</dt><dd>completion queue</dd>
 * <dt>SRQ</dt><dd>receive queue shared by several queue pairs</dd>
 * <dt>PSN</dt><dd>packet sequence number, 24 bits, circular</dd>
 * <dt>MSN</dt><dd>message sequence number: messages the responder has completed, 24 bits, in every AETH</dd>
 * <dt>MTU</dt><dd>in this package the path MTU of InfiniBand: payload bytes of one packet, 256 to 4096</dd>
 * <dt>RNR</dt><dd>receiver not ready: a message arrived and no receive request was posted</dd>
 * <dt>GID</dt><dd>address of a port; in RoCEv2 an IPv6 address or an IPv4 address mapped into one</dd>
 * <dt>GRH</dt><dd>global route header: 40 bytes in front of a received datagram; in RoCEv2 its IP header</dd>
 * <dt>BTH, RETH, AETH, DETH, ImmDt, IETH</dt><dd>the headers of a packet; see {@link io.rxe.wire}</dd>
 * <dt>ICRC</dt><dd>invariant CRC: the last four bytes of every packet</dd>
 * <dt>lkey, rkey</dt><dd>local and remote key of a memory region: 24 bits of index, and 8 bits that its owner changes</dd>
 * <dt>MW</dt><dd>memory window: an rkey of its own for a part of a memory region</dd>
 * </dl>
 */
package io.rxe.verbs;
