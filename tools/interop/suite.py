"""tools/kernel-peer verify: the interoperability suite. Runs inside the peers' network namespace."""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

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
from peers import NEWER, TOOLS, KernelPeer, OwnPeer
from verbs_client import Agent, AgentProcess

AGENT_PORT = 7100


class World:
    """The kernel peer of the current case, our NIC, and the network between them."""

    def __init__(self, newer_problem):
        self.ours = OwnPeer()
        self._links = {}
        self._newer_problem = newer_problem
        self._watch = UnknownOpcodeWatch(KernelPeer(1))
        self._use(1)
        self._mtu = None
        self._agents = {}
        self._agent_kind = None

    def _use(self, index):
        """Makes a kernel peer that of the next case."""
        if index not in self._links:
            peer = KernelPeer(index)
            self._links[index] = peer, FaultyLink(peer, self.ours)
        self.kernel, self._link = self._links[index]

    def prepare(self, case):
        """Sets MTU and fault, and stops those of our agents that the case cannot use."""
        if case.needs_newer and self._newer_problem:
            raise CaseSkipped(self._newer_problem)
        self._use(NEWER if case.needs_newer else 1)
        if case.fault is None:
            self._link.set(None)
        if self._mtu != case.interface_mtu:
            self.close_agents()
            subprocess.run([os.path.join(TOOLS, "kernel-peer"), "mtu", str(case.interface_mtu)], check=True)
            self._mtu = case.interface_mtu
        # A NIC of ours has its UDP port to itself.
        if case.agent != self._agent_kind:
            self._close_agents_of(self.ours)
        self._agent_kind = case.agent
        self._link.set(case.fault)

    @contextlib.contextmanager
    def agents(self, family, log):
        """New connections to the agents of our NIC and of the kernel peer, for one case."""
        with contextlib.ExitStack() as stack:
            connections = []
            for peer in (self.ours, self.kernel):
                if (peer, family) not in self._agents:
                    self._agents[peer, family] = AgentProcess(peer, family, AGENT_PORT + family, self._agent_kind)
                agent = Agent(self._agents[peer, family])
                stack.callback(self._log_agent, log, agent)
                stack.callback(agent.close)
                connections.append(agent)
            yield connections

    def _log_agent(self, log, agent):
        log.add("lines of the agent of %s" % agent.peer.name, agent.transcript)
        log.add("output of the agent", agent.process_output())

    def check(self):
        """Fails when the peer with the older kernel was sent what it does not know."""
        self._watch.check()

    def close(self):
        self.close_agents()
        self._watch.close()
        for _, link in self._links.values():
            with contextlib.suppress(GuestGone):
                link.set(None)

    def close_agents(self):
        while self._agents:
            self._agents.popitem()[1].command.stop()

    def _close_agents_of(self, peer):
        for key in [key for key in self._agents if key[0] is peer]:
            self._agents.pop(key).command.stop()

    def diagnose(self):
        """Says in a few words whether the kernel peer's network works after a failure."""
        return self.kernel.diagnose(self.ours.address(4))

    def restart(self):
        """Boots the kernel peer of the failed case anew. Raises GuestGone when it does not boot."""
        self.close_agents()
        self._link.forget()
        print("booting %s anew" % self.kernel.name, flush=True)
        if subprocess.run([os.path.join(TOOLS, "kernel-peer"), "restart", str(self.kernel.guest.index)], check=False).returncode != 0:
            raise GuestGone("%s does not boot again" % self.kernel.name)

    @contextlib.contextmanager
    def capture(self, path):
        tcpdump = subprocess.Popen(["tcpdump", "-i", "br0", "-Z", "root", "-U", "-w", path, "udp", "port", "4791"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        try:
            while "listening on" not in (line := tcpdump.stderr.readline()):
                if not line:
                    raise RuntimeError("tcpdump did not start")
            yield
            time.sleep(0.1)
        finally:
            tcpdump.send_signal(signal.SIGINT)
            tcpdump.wait(10)
            tcpdump.stderr.close()


def all_cases():
    modules = (program_cases, verbs_cases, error_cases, memory_cases, placement_cases, nvme_cases)
    found = [case for module in modules for case in module.cases()]
    # Sorted, so that the MTU, the kernel and our agent change seldom.
    return sorted(found, key=lambda case: (case.interface_mtu, case.needs_newer, case.agent or ""))


def main():
    parser = argparse.ArgumentParser(prog="tools/kernel-peer verify")
    parser.add_argument("-k", metavar="PATTERN", default="", help="only cases whose name matches this regular expression")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and run nothing")
    parser.add_argument("--capture", metavar="FOLDER", help="write the RoCE frames of each case to a file in FOLDER")
    parser.add_argument("--needs-newer", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fetch", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    selected = [case for case in all_cases() if re.search(arguments.k, case.name)]
    if arguments.needs_newer:
        return 0 if any(case.needs_newer for case in selected) else 1
    if arguments.fetch:
        for fetch in {case.fetch for case in selected if case.fetch}:
            fetch()
        return 0
    if arguments.list:
        for case in selected:
            print(case.name)
        return 0
    if not selected:
        print("no case matches '%s': see tools/kernel-peer verify --list" % arguments.k, file=sys.stderr)
        return 2
    if arguments.capture:
        os.makedirs(arguments.capture, exist_ok=True)
    world = World(os.environ.get("RXE_PEER_NEWER_PROBLEM"))
    return Runner(world, arguments.capture).run(selected)


if __name__ == "__main__":
    # On SIGTERM, too, the processes that cases have started must be stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
