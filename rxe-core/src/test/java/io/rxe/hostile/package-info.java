/** Malformed and malicious datagrams, sent to a whole NIC with every kind of queue pair. */
package io.rxe.hostile;
