/**
 * Capture files: reading and writing pcap and pcapng, and finding the RoCEv2 packet inside a captured frame.
 *
 * <p>Streams only, so that a pipe from tcpdump works as well as a file. Nothing here is on the data path: a frame read from a
 * capture has no next hop but a test, a tool or {@link io.rxe.wire.PacketPrinter}; a frame written comes from the capture tap
 * of the network layer.
 *
 * <p>May use io.rxe.wire, org.agrona and java.io; no sockets, no channels, no clock: time stamps come from the caller.
 */
package io.rxe.capture;
