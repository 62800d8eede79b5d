"""tools/kernel-peer verify: the interoperability suite. Runs inside the peers' network namespace."""

import argparse
import contextlib
import os
import re
import subprocess
import sys

import error_cases
import memory_cases
import nvme_cases
import placement_cases
import program_cases
import verbs_cases
from cases import CaseSkipped, Runner
from faults import FaultyLink
from guest import GuestGone
from kernel_safety import UnknownOpcodeWatch
from peers import AARCH64, LONG_TERM, NEWER, NEWEST, TOOLS, KernelPeer, OwnPeer
from program import end
from verbs_client import Agent, AgentProcess

AGENT_PORT = 7100


class World:
    """The kernel peer of the current case, our NIC, and the network between them."""

    def __init__(self, only, newer_problem):
        self.ours = OwnPeer()
        # The number of the peer of all cases, or None.
        self._only = only
        self._peers = {index: KernelPeer(index) for index in ([only] if only else [1, NEWER])}
        self._links = {index: FaultyLink(peer, self.ours) for index, peer in self._peers.items()}
        self.kernel, self._link = self._peers[only or 1], self._links[only or 1]
        self._newer_problem = newer_problem
        self._watch = UnknownOpcodeWatch(self.kernel)
        self.check = self._watch.check
        self._mtu = None
        self._agents = {}
        self._agent_kind = None

    def prepare(self, case):
        """Sets MTU and fault, and stops those of our agents that the case cannot use."""
        index = self._only or case.peer
        if index == NEWER and self._newer_problem:
            raise CaseSkipped(self._newer_problem)
        self.kernel, self._link = self._peers[index], self._links[index]
        if case.fault is None:
            self._link.set(None)
        if self._mtu != (self.kernel, case.interface_mtu):
            self.close_agents()
            self._set_mtu(case.interface_mtu)
        # A NIC of ours has its UDP port to itself.
        if case.agent != self._agent_kind:
            self.close_agents(self.ours)
        self._agent_kind = case.agent
        self._link.set(case.fault)

    def _set_mtu(self, mtu):
        # A bridge without an MTU of its own uses the smallest of its ports.
        ports = [peer.tap for peer in self._peers.values() if os.path.exists("/sys/class/net/" + peer.tap)]
        for link in ports + ["br0"]:
            subprocess.run(["ip", "link", "set", link, "mtu", str(mtu)], check=True)
        self.kernel.guest.run(["ip", "link", "set", "eth0", "mtu", str(mtu)])
        self._mtu = self.kernel, mtu

    @contextlib.contextmanager
    def agents(self, family, log):
        """New connections to the agents of our NIC and of the kernel peer, for one case."""
        with contextlib.ExitStack() as stack:
            connections = []
            for peer in (self.ours, self.kernel):
                if (peer, family) not in self._agents:
                    self._agents[peer, family] = AgentProcess(peer, family, AGENT_PORT + family, self._agent_kind)
                agent = Agent(self._agents[peer, family])
                stack.callback(lambda agent=agent: log.add("output of the agent", agent.process.command.output))
                stack.callback(log.add, "lines of the agent of %s" % peer.name, agent.transcript)
                stack.callback(agent.close)
                connections.append(agent)
            yield connections

    def close(self):
        self.close_agents()
        self._watch.close()
        for link in self._links.values():
            with contextlib.suppress(GuestGone):
                link.set(None)

    def close_agents(self, peer=None):
        for key in [key for key in self._agents if peer in (None, key[0])]:
            self._agents.pop(key).command.stop()

    def diagnose(self):
        return self.kernel.diagnose(self.ours.address(4))

    def restart(self):
        """Boots the kernel peer of the failed case anew. Raises GuestGone when it does not boot."""
        self.close_agents()
        self._link.forget()
        self._mtu = None
        if subprocess.run([os.path.join(TOOLS, "kernel-peer"), "restart", str(self.kernel.guest.index)], check=False).returncode != 0:
            raise GuestGone("%s does not boot again" % self.kernel.name)


def all_cases():
    modules = (program_cases, verbs_cases, error_cases, memory_cases, placement_cases, nvme_cases)
    found = [case for module in modules for case in module.cases()]
    # Sorted, so that the MTU, the kernel and our agent change seldom.
    return sorted(found, key=lambda case: (case.interface_mtu, case.peer, case.agent or ""))


def main():
    parser = argparse.ArgumentParser(prog="tools/kernel-peer verify")
    parser.add_argument("-k", metavar="PATTERN", default="", help="only cases whose name matches this regular expression")
    parser.add_argument("--peer", type=int, choices=(AARCH64, LONG_TERM, NEWEST, NEWER), help="all cases against this peer with a newer kernel")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and run nothing")
    parser.add_argument("--prepare", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    selected = [case for case in all_cases() if re.search(arguments.k, case.name) and case.peer in (1, NEWER, arguments.peer)
                and case.harms != arguments.peer]
    if not selected:
        print("no case matches '%s': see tools/kernel-peer verify --list" % arguments.k, file=sys.stderr)
        return 2
    if arguments.list:
        print("\n".join(case.name for case in selected))
        return 0
    if arguments.prepare:
        # Outside the namespace, where downloads are possible. Prints the peers to boot.
        for fetch in {case.fetch for case in selected if case.fetch}:
            fetch()
        print(*[arguments.peer] if arguments.peer else sorted({1, *(case.peer for case in selected)}))
        return 0
    return Runner(World(arguments.peer, os.environ.get("RXE_PEER_NEWER_PROBLEM"))).run(selected)


if __name__ == "__main__":
    end(main)
