/**
 * The RoCEv2 packet on the wire: header codecs, the opcode table, 24-bit sequence numbers and the invariant CRC.
 *
 * <p>Everything here is static or immutable, except {@link io.rxe.wire.Icrc} and {@link io.rxe.wire.PacketPrinter}, which
 * hold scratch state and belong to one thread. A header class is a set of static accessors over (buffer, offset), where offset
 * is the start of the header. Setters keep neighbouring bits and ignore bits of the argument that do not fit the field. All
 * fields are big-endian on the wire except the invariant CRC.
 *
 * <p>Header accessors do not check bounds: {@link io.rxe.wire.HeaderValidator} checks each packet once, and then no accessor can
 * read outside it.
 *
 * <p>May use only java.* and org.agrona; no other io.rxe package, socket, clock or thread. Previous hop of a received packet:
 * the port, which hands the UDP payload to the device. Next hop: the device's demultiplexer, then responder or completer. For a
 * sent packet: the requester or responder writes headers here, and the packet sink appends the ICRC.
 */
package io.rxe.wire;
