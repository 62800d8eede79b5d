/**
 * Capture files: reads and writes pcap and pcapng, and finds the RoCEv2 packet inside a captured frame.
 *
 * <p>Works on streams, so that a pipe from tcpdump works as well as a file. Not on the data path: frames read from a capture go to
 * a test, a tool or {@link io.rxe.wire.PacketPrinter}; frames written come from the capture tap of the network layer.
 *
 * <p>May use io.rxe.wire, org.agrona and java.io; no sockets, no channels, no clock: time stamps come from the caller.
 */
package io.rxe.capture;
