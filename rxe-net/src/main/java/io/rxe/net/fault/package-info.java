/**
 * Faults made on purpose, in the words of tc's netem: a layer around a port that loses, duplicates, corrupts, delays and reorders
 * frames in both directions. Every fault is drawn from one seed and counted.
 *
 * <p>A frame to send comes from {@code EpollPacketSink} through {@link io.rxe.net.fault.FaultPort} to the port of the socket; a
 * received one goes the other way, to {@code Iteration}. The layer sits above the capture, so the capture holds what was on
 * the wire. Nothing here knows sockets or protocols: frames are bytes.
 */
package io.rxe.net.fault;
