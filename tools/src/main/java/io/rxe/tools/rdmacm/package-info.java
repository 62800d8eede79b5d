/**
 * The programs of rdmacm-utils, with the same options, the same messages on the wire and the same lines of output, so that
 * either end may be the original: {@code rping}, {@code udaddy}, {@code rdma_server}, {@code rdma_client}.
 *
 * <p>{@link io.rxe.tools.rdmacm.ManagedNic} opens a NIC with connection management and lets one thread wait for events and
 * completions together. A state machine handles both for each connection, such as {@link
 * io.rxe.tools.rdmacm.PingServer}. Uses {@link io.rxe.cm} and {@link io.rxe.verbs}; must not reach below them.
 */
package io.rxe.tools.rdmacm;
