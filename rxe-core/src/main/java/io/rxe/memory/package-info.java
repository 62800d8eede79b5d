/**
 * Registered memory: regions, the key table that finds them, scatter/gather lists, and the copying between packets and memory.
 *
 * <p>Knows nothing of queue pairs or packets. Reached from the requester (payload out), the responder and the completer (payload in).
 * Uses Agrona buffers only; regions are looked up by engine threads while applications register and deregister.
 */
package io.rxe.memory;
