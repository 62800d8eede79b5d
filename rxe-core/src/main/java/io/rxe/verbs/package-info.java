/**
 * The application's side of the NIC: the verbs of the InfiniBand architecture as Java types. This is the public API; everything
 * below it may change.
 *
 * <p>Resources ({@link io.rxe.verbs.Device}, {@link io.rxe.verbs.ProtectionDomain}, {@link io.rxe.verbs.MemoryRegion},
 * {@link io.rxe.verbs.CompletionQueue}, {@link io.rxe.verbs.QueuePair}) are {@code AutoCloseable} and may be closed in any order:
 * what depends on a closed resource fails with a flush or a status, never with a crash. Requests and completions
 * ({@link io.rxe.verbs.WorkRequest}, {@link io.rxe.verbs.ReceiveRequest}, {@link io.rxe.verbs.WorkCompletion}) are plain mutable
 * objects, meant to be made once and used again: posting and polling allocate nothing.
 *
 * <p><b>Threads.</b> One thread at a time posts to the send queue of a queue pair, one to its receive queue, one polls a completion
 * queue; they may be different threads. Everything else may be called from any thread.
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
 * <dt>MTU</dt><dd>here always the path MTU of InfiniBand: payload bytes of one packet, 256 to 4096</dd>
 * <dt>RNR</dt><dd>receiver not ready: a message came and no receive request was posted</dd>
 * <dt>GID</dt><dd>address of a port; in RoCEv2 an IPv6 address or an IPv4 address mapped into one</dd>
 * <dt>BTH, RETH, AETH, DETH, ImmDt, IETH</dt><dd>the headers of a packet; see {@link io.rxe.wire}</dd>
 * <dt>ICRC</dt><dd>invariant CRC: the last four bytes of every packet</dd>
 * <dt>lkey, rkey</dt><dd>local and remote key of a memory region</dd>
 * </dl>
 */
package io.rxe.verbs;
