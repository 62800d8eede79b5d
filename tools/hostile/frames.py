"""Builds the IPv4 packets that a peer of a RoCEv2 NIC, or any other host, could send. Sends nothing."""

import socket
import struct
import zlib

ROCE_PORT = 4791
SEND_MIDDLE, SEND_ONLY, ACKNOWLEDGE, UD_SEND_ONLY, CNP, BECN = 0x01, 0x04, 0x11, 0x64, 0x81, 1 << 30
BTH_BYTES, ICRC_BYTES, IPV4_BYTES, UDP_BYTES = 12, 4, 20, 8
# Of an IP packet, before the BTH; before a MAD; with a whole MAD.
HEADER_BYTES = IPV4_BYTES + UDP_BYTES
BEFORE_MAD_BYTES, MAD_PACKET_BYTES = HEADER_BYTES + BTH_BYTES + 8, 308
UNKNOWN_QPN = 0xfffff0
REQ, REJ, REP, RTU, DREQ, SIDR_REQ = 0x10, 0x12, 0x13, 0x14, 0x15, 0x17
GSI_QUEUE_KEY, CM_QUEUE_KEY = 0x80010000, 0x01234567
PSN_NAK, RNR_NAK, ACK = 0x60, 0x2c, 0x1f
# The PSN that the sender of our REQs expects first.
REQ_PSN = 0x000100
TCP_SPACE, UDP_SPACE = 0x0106, 0x0111


def ip_text(number):
    return socket.inet_ntoa(struct.pack(">I", number & 0xffffffff))


def checksum(data):
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4(source, destination, protocol, payload, identification=0):
    """An IPv4 packet with DF, as a UDP socket with path MTU discovery sends it."""
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, IPV4_BYTES + len(payload), identification, 0x4000, 64, protocol, 0,
                         socket.inet_aton(source), socket.inet_aton(destination))
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + payload


def udp(source, destination, payload, ports=(ROCE_PORT, ROCE_PORT), identification=0):
    """An IPv4 packet with a UDP datagram; the UDP checksum is 0, which means none."""
    header = struct.pack(">HHHH", *ports, UDP_BYTES + len(payload), 0)
    return ipv4(source, destination, socket.IPPROTO_UDP, header + payload, identification)


def icrc(packet):
    """The invariant CRC of an IPv4 packet whose last byte is the last padding byte."""
    masked = bytearray(b"\xff" * 8 + packet)
    for index in (1, 8, 10, 11, 26, 27, HEADER_BYTES + 4):
        masked[8 + index] = 0xff
    return struct.pack("<I", zlib.crc32(masked))


def roce(source, destination, transport, identification=0):
    """An IPv4 packet with a RoCEv2 packet: headers and payload from the BTH on, without the ICRC, which is added."""
    packet = udp(source, destination, transport + bytes(ICRC_BYTES), identification=identification)[:-ICRC_BYTES]
    return packet + icrc(packet)


def bth(opcode, qpn, psn):
    return struct.pack(">BBHII", opcode, 0, 0xffff, qpn & 0x40ffffff, psn & 0xffffff)


def acknowledge(source, destination, qpn, psn, syndrome, msn):
    return roce(source, destination, bth(ACKNOWLEDGE, qpn, psn) + struct.pack(">I", syndrome << 24 | msn & 0xffffff))


def datagram(source, destination, qpn, queue_key, payload, psn=0):
    return roce(source, destination, bth(UD_SEND_ONLY, qpn, psn) + struct.pack(">II", queue_key, 1) + payload)


def management(source, destination, attribute, transaction, body):
    header = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, transaction, attribute, 0, 0)
    return datagram(source, destination, 1, GSI_QUEUE_KEY, header + body.ljust(232, b"\0"))


def address_header(source, destination):
    return struct.pack(">BBH12x4s12x4s", 0, 0x40, 40000, socket.inet_aton(source), socket.inet_aton(destination))


def connect_request(communication_id, service, guid, qpn, local, remote, named=None, timeout=20):
    """A REQ from local to remote; its primary local GID is that of `named`, which an honest one does not differ in."""
    named = named or local
    gids = [bytes(10) + b"\xff\xff" + socket.inet_aton(address) for address in (named, remote)]
    body = struct.pack(">IIQQ4xI", communication_id, 0, service, guid, 0)
    body += struct.pack(">IIII", qpn << 8 | 16, 16, timeout << 3, REQ_PSN << 8 | timeout << 3 | 7)
    body += struct.pack(">HBBHH", 0xffff, 5 << 4 | 7, 15 << 4, 0xffff, 0xffff)
    body += b"".join(gids) + struct.pack(">IBBBB", 0, 0, 64, 0, 14 << 3)
    return management(local, remote, REQ, communication_id, body.ljust(140, b"\0") + address_header(named, remote))


def reject(source, destination, transaction, local_id, remote_id, message):
    return management(source, destination, REJ, transaction, struct.pack(">IIBBH", local_id, remote_id, message << 6, 0, 28))


def reply(source, destination, local_id, remote_id, qpn, guid):
    return management(source, destination, REP, remote_id, struct.pack(">IIIIIIBBBBQ", local_id, remote_id, 0, qpn << 8, 0, 0x000200 << 8,
                                                                        16, 16, 0, 7 << 5, guid))


def icmp_error(source, destination, peer, code, mtu=0):
    """Destination unreachable, about a packet to the peer: code 4 is fragmentation needed, 3 is port unreachable."""
    message = struct.pack(">BBHHH", 3, code, 0, 0, mtu) + udp(destination, peer, bytes(8))[:HEADER_BYTES]
    message = message[:2] + struct.pack(">H", checksum(message)) + message[4:]
    return ipv4(source, destination, socket.IPPROTO_ICMP, message)


def harmless(like, source, destination):
    """A well-formed RoCEv2 packet as long as another IP packet, for a queue pair that does not exist."""
    payload = max(0, len(like) - HEADER_BYTES - BTH_BYTES - ICRC_BYTES) + 3 & ~3
    return roce(source, destination, bth(SEND_ONLY, UNKNOWN_QPN, 0) + bytes(payload))


def cut_segments(packet):
    """The IP packets of what the kernel hands over as one with GSO or GRO: frames of one length, but for the last."""
    payload = packet[HEADER_BYTES:]
    (identification,) = struct.unpack_from(">H", packet, 4)
    source, destination = socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20])
    ports = struct.unpack_from(">HH", packet, IPV4_BYTES)
    for length in [len(payload)] + [BTH_BYTES + mtu + ICRC_BYTES for mtu in (4096, 2048, 1024, 512, 256)]:
        parts = [udp(source, destination, payload[at:at + length], ports, identification + number & 0xffff)
                 for number, at in enumerate(range(0, len(payload), length))]
        if all(part[-ICRC_BYTES:] == icrc(part[:-ICRC_BYTES]) for part in parts):
            return parts
    return []
