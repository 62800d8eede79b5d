/**
 * Registered memory: regions, the key table, scatter/gather lists, and copying between packets and memory.
 *
 * <p>Does not know queue pairs or packets, only Agrona buffers and who catches faults ({@link io.rxe.port.RangeFaults}). Used by the
 * requester (payload out) and by the responder and completer (payload in). Engine threads look regions up while applications register and
 * deregister.
 */
package io.rxe.memory;
