/**
 * Connections for applications that want messages and remote memory, without states, PSNs and windows. Built on {@link io.rxe.verbs} and
 * {@link io.rxe.cm}, and used beside them: {@link io.rxe.connect.RxeConnection#queuePair} and {@code domain} lead back to the verbs.
 *
 * <pre>
 *   RxeServer             listens on a port; a callback sets up each connection, or rejects it
 *   RxeClient             connects to a host and port
 *   RxeConnection         messages: send, sendInPlace, onMessage, onWritable; its end: onClosed, close
 *     OneSided            READ, WRITE and atomics on the memory of the peer
 *     RemoteMemory        address, length and key of memory; travels in private data or a message
 *   ConnectOptions        sizes, depths, private data
 * </pre>
 *
 * <p><b>Flow control.</b> Each side posts its receives before the connection exists and announces them in its private data. When it has
 * posted many since, a message says how many, as its immediate data. So no message leaves before its receive is posted, and there is no
 * RNR NAK. {@link io.rxe.connect.MessageCredits} is the state machine. A send that finds no credit or no buffer returns a status;
 * {@link io.rxe.connect.RxeConnection#onWritable} follows.
 *
 * <p><b>Threads.</b> A server or client has one thread, the <em>connection thread</em>, for all its connections: it runs set-up callbacks
 * and {@code onClosed}, and completes {@code connected}. Messages, {@code onWritable} and the results of one-sided operations are
 * dispatched on the thread of the engine that owns the queue pair, at the place where the completion was made; after a call that
 * threw when it had taken room, they may be dispatched on the connection thread. No other thread exists, but the executor that an
 * application may give {@code onMessage}, where handlers may block ({@link io.rxe.connect.HandlerQueue}).
 * Callbacks of one connection never run two at a time, unless it has an executor. Those on the engine's thread may send, post, read getters
 * and call {@link io.rxe.connect.RxeConnection#close}; they must not block, or create, modify or close other resources.
 *
 * <p><b>Ends.</b> Whatever ends a connection, each step of its end runs, also after one that threw; the end waits for callbacks that still
 * run, and its connection thread does not. {@code close} of a server or client has a bound, and names the callback that exceeds it. A
 * future that a callback waits for and that only this callback's thread could complete throws ({@link io.rxe.connect.GuardedFuture}).
 *
 * <p>The next hop of a message is {@link io.rxe.verbs.QueuePair#postSend}; the previous hop of one that arrives is
 * {@link io.rxe.verbs.CompletionChannel#calling}. The package uses {@code io.rxe.net.RxeNic}, and of the core only verbs, cm and
 * {@code io.rxe.wire.Gid}.
 */
package io.rxe.connect;
