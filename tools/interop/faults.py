"""tc netem inside a kernel peer: on eth0 for what it sends, on ifb0 for what it receives."""

import contextlib
import subprocess

LIMIT = "limit 10000"

# Names, and parameters of netem in both directions. Our frames carry a UDP checksum, so the guest drops corrupted ones before rdma_rxe
# sees them. Frames from the kernel carry none, so our ICRC check must find every corrupted one.
FAULTS = (("loss 1%", "loss 1%"), ("loss 5%", "loss 5%"), ("duplicate 10%", "duplicate 10%"),
          ("reorder 25%", "delay 2ms reorder 25% 50%"), ("corrupt 3%", "corrupt 3%"), ("delay 5ms", "delay 5ms"))
_, HEAVY_LOSS, DUPLICATE, REORDER, *_ = FAULTS


class FaultyLink:
    """The link of a kernel peer. While it is faulty, neighbour entries are static: a lost or corrupted ARP reply would prove nothing."""

    def __init__(self, peer, host):
        self._peer = peer
        self._host = host
        self._current = None

    def set(self, fault):
        """Applies a fault, parameters of netem, to the link; None removes it."""
        if fault == self._current:
            return
        if self._current is not None:
            self._current = None
            self._each_neighbour("del")
            self._peer.guest.run_script("tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; tc qdisc del dev ifb0 root; "
                                        "ip link set ifb0 down")
        if fault is not None:
            self._current = fault
            self._each_neighbour("replace")
            self._peer.guest.run_script("ip link set ifb0 mtu 9000 up && "
                                        "tc qdisc replace dev eth0 root netem %s %s && "
                                        "tc qdisc add dev eth0 handle ffff: ingress && "
                                        "tc filter add dev eth0 parent ffff: matchall action mirred egress redirect dev ifb0 && "
                                        "tc qdisc replace dev ifb0 root netem %s %s" % (fault, LIMIT, fault, LIMIT))

    def forget(self):
        """To be called before the peer boots anew, which removes the fault there."""
        if self._current is not None:
            self._current = None
            for family in (4, 6):
                # An entry is missing when the peer was lost while the fault was set.
                with contextlib.suppress(subprocess.CalledProcessError):
                    self._host.neighbour("del", self._peer.address(family), self._peer.link_address)

    def _each_neighbour(self, action):
        for family in (4, 6):
            self._host.neighbour(action, self._peer.address(family), self._peer.link_address)
            self._peer.neighbour(action, self._host.address(family), self._host.link_address)
