/**
 * Faults made on purpose, in the words of tc's netem: a layer between codec and socket that loses, doubles, spoils, delays and
 * reorders frames in both directions of a NIC. Everything is drawn from one seed and counted.
 *
 * <p>A packet to send comes from {@code EpollPacketSink} through {@link io.rxe.net.fault.FaultPort} to the port of the socket; a
 * received one takes the same way back and goes on to {@code NicLoop}. The layer sits above the capture, which so holds what the
 * wire saw. Nothing here knows sockets or protocols: frames are bytes.
 */
package io.rxe.net.fault;
