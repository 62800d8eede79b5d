"""Checks that the generator makes what it claims. Sends nothing; the captures are opened with tools/rxe dump."""

import re
import socket
import struct
import subprocess
import tempfile

import frames
import kinds
from network import GROUP, Network
from transfer import RXE

COUNT = 256
# Kinds whose every packet is well-formed with a good ICRC, and those that have none such at all.
GOOD = ("req", "req-rej", "req-other-gid", "rep-rej-guessed", "dreq-guessed", "sidr", "long-datagrams", "replay", "blind-naks", "blind-acks",
        "forged-requests", "gaps")
BAD = ("garbage", "one-hash", "random-sources", "noise", "truncated", "wrong-icrc")


class StillScene(kinds.Scene):
    """A scene without a network: what a live one would learn is made up."""

    def __init__(self):
        super().__init__(Network(), 0x123456, 0x654321, GROUP)

    def seen_ids(self):
        return {"server": 0xfffffff0, "client": 16}

    def capture(self, count):
        joined = b"".join(frames.roce(self.client, self.server, frames.bth(frames.SEND_MIDDLE, self.server_qpn, psn) + bytes([psn] * 1024),
                                      psn)[frames.IPV4_BYTES + frames.UDP_BYTES:] for psn in range(3))
        return frames.cut_segments(frames.udp(self.client, self.server, joined))

    def connect(self):
        return 0x000777, 0xfffffe


def run():
    scene, failed = StillScene(), []
    for kind in kinds.KINDS:
        made = kind.make(scene, COUNT)
        packets = [frame[frames.ETHERNET_BYTES:] for frame in made]
        problems = [text for text in (problem(scene, kind, packets), dumped(kind, packets)) if text]
        failed += problems
        print("%-20s %s" % (kind.name, "; ".join(problems) or "right"))
    problems = [text for text in (harmless_problem(scene), one_hash_problem(scene)) if text]
    print("%-20s %s" % ("harmless, one hash", "; ".join(problems) or "right"))
    return 1 if failed + problems else 0


def problem(scene, kind, packets):
    """What a packet of the kind is not, or an empty text."""
    if not packets:
        return "" if kind.make is kinds.payload else "makes nothing"
    if any(frames.checksum(packet[:20]) != 0 or struct.unpack_from(">H", packet, 2)[0] != len(packet) for packet in packets):
        return "an IP header is wrong"
    good = sum(packet[9] == socket.IPPROTO_UDP and len(packet) >= 44 and frames.has_good_icrc(packet) for packet in packets)
    if kind.name in GOOD and good != len(packets):
        return "%d of %d ICRCs are right, all should be" % (good, len(packets))
    if kind.name in BAD and good:
        return "%d ICRCs are right, none should be" % good
    if kind.name == "replay" and len(set(packets)) != 3:
        return "a capture of 3 joined frames gave %d" % len(set(packets))
    if kind.name == "truncated" and not any(len(packet) < 28 + 16 for packet in packets):
        return "none is shorter than a BTH and an ICRC"
    if kind.name == "req-other-gid" and any(packet[12:16] == packet[28 + 20 + 24 + 56 + 12:28 + 20 + 24 + 56 + 16] for packet in packets):
        return "a primary local GID is the source"
    if kind.name == "icmp-fragmentation" and any(packet[20:22] != b"\x03\x04" or packet[28 + 12:28 + 16] != socket.inet_aton(scene.client)
                                                 or frames.checksum(packet[20:]) for packet in packets):
        return "not an ICMP error about the client's packets"
    return ""


def dumped(kind, packets):
    """The same ICRCs as judged by tools/rxe dump, which reads frames with code of its own."""
    if kind.name not in GOOD + ("wrong-icrc",):
        return ""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
        for packet in packets:
            file.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
        file.flush()
        text = subprocess.run([RXE, "dump", "-q", file.name], capture_output=True, text=True).stdout
    found = re.search(r"ICRC good (\d+), bad (\d+)", text)
    wanted = (len(packets), 0) if kind.name in GOOD else (0, len(packets))
    if found is None or (int(found.group(1)), int(found.group(2))) != wanted:
        return "tools/rxe dump says: " + (text.strip().splitlines() or ["nothing"])[-1].strip()
    return ""


def harmless_problem(scene):
    for length in (1, 16, 44, 300, 4112):
        like = frames.udp(scene.client, scene.server, bytes(length))
        made = frames.harmless(like, scene.attacker, scene.server)
        if not frames.has_good_icrc(made) or not 0 <= len(made) - max(len(like), 44) <= 3:
            return "the harmless packet for %d bytes has %d and its ICRC is %s" % (length, len(made) - 28, frames.has_good_icrc(made))
    return ""


def one_hash_problem(scene):
    """Java: the hash of an InetSocketAddress is the address as a number plus the port."""
    sources = {(frame[26:30], frame[34:36]) for frame in kinds.one_hash(scene, 16000)}
    hashes = {struct.unpack(">I", address)[0] + struct.unpack(">H", port)[0] & 0xffffffff for address, port in sources}
    return "" if len(sources) == 16000 and len(hashes) == 1 else "%d sources with %d hashes" % (len(sources), len(hashes))
