/**
 * Faults made on purpose at the verbs: which verbs and events can be made to fail, and who decides. Applications reach it through the
 * options of a NIC; {@code io.rxe.net.fault.VerbsFaultSpec} reads the words and decides, with a seed.
 *
 * <p>The device asks {@link io.rxe.fault.VerbFaults} in its control verbs, and in posts only where a rule is about posts; a responder asks
 * it when a message takes a receive request; connection management asks it when it connects and when a request arrives. Nothing here fails
 * anything: a request fails in the requester or the responder, a queue pair goes to ERROR, a port goes down and an engine fails on the ways
 * that they have for true failures. Above {@code io.rxe.verbs}, below {@code io.rxe.qp}.
 */
package io.rxe.fault;
