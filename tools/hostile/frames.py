"""Builds Ethernet frames that a peer of a RoCEv2 NIC, or any other host, could send. Sends nothing."""

import random
import socket
import struct
import zlib

ROCE_PORT = 4791
SEND_FIRST, SEND_MIDDLE, SEND_ONLY, ACKNOWLEDGE, UD_SEND_ONLY = 0x00, 0x01, 0x04, 0x11, 0x64
BTH_BYTES, ICRC_BYTES = 12, 4
ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES = 14, 20, 8
HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
UNKNOWN_QPN = 0xfffff0
REQ, REJ, REP, RTU, DREQ, SIDR_REQ = 0x10, 0x12, 0x13, 0x14, 0x15, 0x17
GSI_QUEUE_KEY = 0x80010000
CM_QUEUE_KEY = 0x01234567
PSN_NAK, RNR_NAK, ACK = 0x60, 0x2c, 0x1f
# The PSN that the sender of our REQs expects first.
REQ_PSN = 0x000100
TCP_SPACE, UDP_SPACE = 0x0106, 0x0111


def mac_bytes(text):
    return bytes.fromhex(text.replace(":", ""))


def ip_number(text):
    return struct.unpack(">I", socket.inet_aton(text))[0]


def ip_text(number):
    return socket.inet_ntoa(struct.pack(">I", number & 0xffffffff))


def gid(address):
    """An IPv4 address as a GID."""
    return bytes(10) + b"\xff\xff" + socket.inet_aton(address)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
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
    header = struct.pack(">HHHH", ports[0], ports[1], UDP_BYTES + len(payload), 0)
    return ipv4(source, destination, socket.IPPROTO_UDP, header + payload, identification)


def icrc(packet):
    """The invariant CRC of an IPv4 packet whose last byte is the last padding byte."""
    masked = bytearray(b"\xff" * 8 + packet)
    masked[9] = masked[16] = masked[18] = masked[19] = 0xff
    masked[8 + 26] = masked[8 + 27] = masked[8 + 28 + 4] = 0xff
    return zlib.crc32(masked)


def has_good_icrc(packet):
    return struct.unpack("<I", packet[-ICRC_BYTES:])[0] == icrc(packet[:-ICRC_BYTES])


def roce(source, destination, transport, identification=0, source_port=ROCE_PORT, good=True):
    """An IPv4 packet with a RoCEv2 packet: headers and payload from the BTH on, without the ICRC, which is added."""
    packet = udp(source, destination, transport + bytes(ICRC_BYTES), (source_port, ROCE_PORT), identification)
    value = icrc(packet[:-ICRC_BYTES])
    return packet[:-ICRC_BYTES] + struct.pack("<I", value if good else value ^ random.randrange(1, 1 << 32))


def bth(opcode, qpn, psn, ack_request=False):
    return struct.pack(">BBHII", opcode, 0, 0xffff, qpn & 0xffffff, (0x80000000 if ack_request else 0) | psn & 0xffffff)


def aeth(syndrome, msn=0):
    return struct.pack(">I", syndrome << 24 | msn & 0xffffff)


def datagram(source, destination, qpn, queue_key, payload, psn=0, source_qpn=1):
    """A UD SEND ONLY."""
    deth = struct.pack(">II", queue_key, source_qpn)
    return roce(source, destination, bth(UD_SEND_ONLY, qpn, psn) + deth + payload)


def mad(attribute, transaction, body):
    header = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, transaction, attribute, 0, 0)
    return header + body.ljust(232, b"\0")


def service_id(space, port):
    return space << 16 | port


def address_header(source, destination, port):
    """What rdma_cm puts before private data."""
    return struct.pack(">BBH12x4s12x4s", 0, 0x40, port, socket.inet_aton(source), socket.inet_aton(destination))


def connect_request(communication_id, service, guid, qpn, local, remote, named=None, timeout=20):
    """A REQ from local to remote; its primary local GID is that of `named`, which an honest one does not differ in."""
    named = named or local
    body = struct.pack(">IIQQ4xI", communication_id, 0, service, guid, 0)
    body += struct.pack(">IIII", qpn << 8 | 16, 16, timeout << 3, REQ_PSN << 8 | timeout << 3 | 7)
    body += struct.pack(">HBBHH", 0xffff, 5 << 4 | 7, 15 << 4, 0xffff, 0xffff)
    body += gid(named) + gid(remote) + struct.pack(">IBBBB", 0, 0, 64, 0, 14 << 3)
    return body.ljust(140, b"\0") + address_header(named, remote, 40000)


def reject(local_id, remote_id, message, reason=28):
    return struct.pack(">IIBBH", local_id, remote_id, message << 6, 0, reason)


def reply(local_id, remote_id, qpn, guid):
    return struct.pack(">IIIIII", local_id, remote_id, 0, qpn << 8, 0, 0x000200 << 8) + struct.pack(">BBBBQ", 16, 16, 0, 7 << 5, guid)


def ready(local_id, remote_id):
    return struct.pack(">II", local_id, remote_id)


def disconnect_request(local_id, remote_id, remote_qpn):
    return struct.pack(">III", local_id, remote_id, remote_qpn << 8)


def resolution_request(request_id, service, local, remote):
    return struct.pack(">IHHQ", request_id, 0xffff, 0, service) + address_header(local, remote, 40000)


def management(source, destination, attribute, transaction, body):
    """A message of connection management to queue pair 1."""
    return datagram(source, destination, 1, GSI_QUEUE_KEY, mad(attribute, transaction, body))


def icmp_error(source, destination, code, quoted, mtu=0):
    """Destination unreachable: code 4 is fragmentation needed, 3 is port unreachable. Quotes what IP asks for."""
    message = struct.pack(">BBHHH", 3, code, 0, 0, mtu) + quoted[:IPV4_BYTES + 8]
    message = message[:2] + struct.pack(">H", checksum(message)) + message[4:]
    return ipv4(source, destination, socket.IPPROTO_ICMP, message)


def harmless(like, source, destination):
    """A well-formed RoCEv2 packet as long as another IP packet, for a queue pair that does not exist."""
    payload = max(0, len(like) - IPV4_BYTES - UDP_BYTES - BTH_BYTES - ICRC_BYTES) + 3 & ~3
    return roce(source, destination, bth(SEND_ONLY, UNKNOWN_QPN, 0) + bytes(payload))


def cut_segments(packet):
    """The IP packets of what the kernel hands over as one with GSO or GRO: frames of one length, but for the last."""
    payload = packet[IPV4_BYTES + UDP_BYTES:]
    (identification,) = struct.unpack_from(">H", packet, 4)
    source, destination = socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20])
    ports = struct.unpack_from(">HH", packet, IPV4_BYTES)
    for length in [len(payload)] + [BTH_BYTES + mtu + ICRC_BYTES for mtu in (4096, 2048, 1024, 512, 256)]:
        parts = [udp(source, destination, payload[at:at + length], ports, identification + number & 0xffff)
                 for number, at in enumerate(range(0, len(payload), length))]
        if all(has_good_icrc(part) for part in parts):
            return parts
    return []
