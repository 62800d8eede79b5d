"""Checks that each kind makes what it claims. Sends nothing; tools/rxe dump, which reads frames with code of its own, judges the ICRCs."""

import itertools
import re
import socket
import struct
import subprocess
import tempfile

import frames
import kinds
from network import Network
from program import RXE

COUNT = 256
# Of the payloads for which harmless packets are made.
LENGTHS = (1, 16, 44, 300, 4112)
# What a packet of the kind is besides.
PROPERTIES = {
    "replay": lambda packets: len(set(packets)) == 3,
    "truncated": lambda packets: any(len(packet) < frames.HEADER_BYTES + 16 for packet in packets),
    # Java: the hash of an InetSocketAddress is the address as a number plus the port.
    "one-hash": lambda packets: len({struct.unpack_from(">I", packet, 12)[0] + struct.unpack_from(">H", packet, 20)[0] for packet in packets})
    == 1 and len(set(packet[12:16] for packet in packets)) == COUNT,
    # The primary local GID is behind the header of the MAD and 56 bytes of the REQ.
    "req-other-gid": lambda packets: not any(packet[12:16] == packet[128 + 12:128 + 16] for packet in packets),
    "icmp-fragmentation": lambda packets: all(packet[20:22] == b"\x03\x04" and packet[40:44] == socket.inet_aton("10.77.0.2")
                                              and frames.checksum(packet[20:]) == 0 for packet in packets),
    "harmless": lambda packets: all(0 <= len(packet) - max(frames.HEADER_BYTES + length, 44) <= 3
                                    for packet, length in zip(packets, LENGTHS)),
}


class StillScene(kinds.Scene):
    def seen_ids(self):
        return 0xfffffff0, 16

    def capture(self, count):
        parts = [frames.roce(self.client, self.server, frames.bth(frames.SEND_MIDDLE, self.server_qpn, psn) + bytes([psn] * 1024), psn)
                 for psn in range(3)]
        return frames.cut_segments(frames.udp(self.client, self.server, b"".join(part[frames.HEADER_BYTES:] for part in parts)))

    def connect(self):
        return 0x000777, 0xfffffe


def run():
    scene, failed = StillScene(Network(), 0x123456, 0x654321), False
    sets = {name: (list(itertools.islice(kind.packets(scene), COUNT)), kind.is_good) for name, kind in kinds.KINDS.items()}
    sets["harmless"] = [frames.harmless(frames.udp(scene.client, scene.server, bytes(length)), scene.attacker, scene.server)
                        for length in LENGTHS], True
    for name, (packets, is_good) in sets.items():
        wrong = problem(name, packets, is_good)
        failed |= bool(wrong)
        print("%-20s %s" % (name, wrong or "right"))
    return 1 if failed else 0


def problem(name, packets, is_good):
    if not packets:
        return None if name == "payload" else "makes nothing"
    if any(frames.checksum(packet[:20]) != 0 or struct.unpack_from(">H", packet, 2)[0] != len(packet) for packet in packets):
        return "an IP header is wrong"
    if is_good is not None:
        good = good_in_dump(packets)
        if good != (len(packets) if is_good else 0):
            return "%d of %d ICRCs are good" % (good, len(packets))
    return None if PROPERTIES.get(name, bool)(packets) else "is not what it claims to be"


def good_in_dump(packets):
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
        for packet in packets:
            file.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
        file.flush()
        text = subprocess.run([RXE, "dump", "-q", file.name], capture_output=True, text=True, check=False).stdout
    return int(re.search(r"ICRC good (\d+), bad", text).group(1))
