/**
 * The RoCEv2 packet on the wire: header codecs, the opcode table, 24-bit sequence numbers and the invariant CRC.
 *
 * <p>Everything here is static or immutable, except {@link io.rxe.wire.Icrc} and {@link io.rxe.wire.PacketPrinter}, which
 * hold scratch state and belong to one thread. A header class is a set of accessors over (buffer, offset), where the offset
 * is that of the header itself. Setters keep neighbouring bits and ignore bits of the argument that do not fit the field. All
 * fields are big-endian on the wire except the invariant CRC.
 *
 * <p>Header accessors never check: {@link io.rxe.wire.HeaderValidator} does so once per packet, and after it none of them can
 * read outside the packet.
 *
 * <p>May use only java.* and org.agrona; never another io.rxe package, a socket, a clock or a thread. Previous hop of a
 * received packet: the UDP payload the port hands to the device. Next hop: the device's demultiplexer, then responder or
 * completer. For a sent packet: the requester or responder writes headers here, and the packet sink appends the ICRC.
 */
package io.rxe.wire;
