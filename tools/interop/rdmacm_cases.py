"""The programs of rdmacm-utils, which connect through connection management: the kernel peer's against ours, with our NIC as
server and as client.

rping prints its payload, so every ping is compared on both sides; the number of packets of its READs and WRITEs shows the path
MTU of the connection. The other programs report only that all of their messages arrived.
"""

import math

from cases import Case, CaseFailed, CaseSkipped, Recovered
from faults import netem
from netem_cases import count_retransmitted, moved
from peers import recovery_since
from pingpong_cases import check_status, last_line
from wire import READ_FIRST, READ_ONLY, FrameTap, describe

MTUS = ((1500, 1024), (4200, 4096))
ROLES = ("server", "client")
PORTS = {"rping": 7174, "udaddy": 7174, "rdma_server": 7471, "ucmatose": 7471}
CLIENTS = {"rping": "rping", "udaddy": "udaddy", "rdma_server": "rdma_client", "ucmatose": "ucmatose"}
START_SECONDS = 30
RUN_SECONDS = 30
# A lost message of connection management is retransmitted after 6 s, a lost packet of a kernel's data after 2.1 s.
FAULTY_SECONDS = 90
DISCONNECT_SECONDS = 15
WRITES = range(0x06, 0x0c)
FAULTS = (("loss 1%", netem("loss 1%")), ("reorder 25%", netem("delay 2ms reorder 25% 50%")))


class DreqLost(Recovered):
    """The DREQ of a kernel's client was lost: after its program has ended nothing retransmits it, and the server waits on."""

    note = "the last DREQ was lost before"


class ProgramRun:
    """A server and its clients as processes on both sides."""

    def __init__(self, world, log, program, our_role, family):
        self.program = program
        self.port = PORTS[program]
        self.family = family
        self.log = log
        self.server, self.client = (world.ours, world.kernel) if our_role == "server" else (world.kernel, world.ours)
        self.server_run = None
        self.client_runs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for role, peer, runs in (("server", self.server, [self.server_run]), ("client", self.client, self.client_runs)):
            for run in runs:
                if run:
                    run.stop()
                    self.log.add("%s, %s" % (role, peer.name), run.output)

    def start_server(self, *options, ours=()):
        bind = {"rping": ["-s", "-v", "-a"], "udaddy": ["-b"], "rdma_server": ["-s"], "ucmatose": ["-b"]}[self.program]
        # rping has its own -v.
        ours = list(ours) + ([] if self.program == "rping" else ["-v"])
        self.server_run = self.server.start_program([self.program] + bind + [self.server.address(self.family)] + list(options), ours)
        if not self.server.wait_service(self.port, START_SECONDS, self.server_run):
            raise CaseFailed("the server (%s) did not listen: %s" % (self.server.name, last_line(self.server_run.output)))

    def start_client(self, *options, ours=()):
        """Starts a client."""
        target = {"rping": ["-c", "-v", "-V", "-a"], "udaddy": ["-s"], "rdma_server": ["-s"], "ucmatose": ["-s"]}[self.program]
        run = self.client.start_program([CLIENTS[self.program]] + target + [self.server.address(self.family)] + list(options), ours)
        self.client_runs.append(run)
        return run

    def finish(self, seconds=RUN_SECONDS, server_ends=True):
        """Waits for all programs; each must exit with status 0."""
        for run in self.client_runs:
            check_status("client", self.client, self._status(self.client, run, seconds), run)
        if server_ends:
            check_status("server", self.server, self._status(self.server, self.server_run, seconds), self.server_run)

    def refused(self):
        """Waits for the only client, which must fail. Returns its output."""
        run = self.client_runs[0]
        status = self._status(self.client, run, RUN_SECONDS)
        if status is None or status == 0:
            raise CaseFailed("the client (%s) ended with status %s: %s" % (self.client.name, status, last_line(run.output)))
        return run.output

    def _status(self, peer, run, seconds):
        status = run.wait(seconds)
        if status is None:
            self.log.add("what %s was doing" % peer.name, peer.describe_stuck(run))
        return status


def ping_text(number, size):
    """The payload of a ping of rping, without the zero at its end."""
    head = "rdma-ping-%d: " % number
    letters = ord("z") - ord("A") + 1
    return head + "".join(chr(ord("A") + (number + i) % letters) for i in range(size - 1 - len(head)))


def check_pings(title, run, count, size, times=1):
    """Every ping must be shown once for each client."""
    shown = [line[len(title):] for line in run.output.splitlines() if line.startswith(title)]
    wanted = [ping_text(number, size) for number in range(count)]
    if shown != wanted if times == 1 else sorted(shown) != sorted(wanted * times):
        raise CaseFailed("'%s' does not show the %d pings of %d bytes: %s" % (title.strip(), count * times, size, last_line(run.output)))


def without_retransmissions(world, log, action):
    """Runs an action that must not cause a retransmission. Returns its frames."""
    before = world.kernel.counters()
    with FrameTap(world.kernel.tap) as tap:
        try:
            action()
        finally:
            frames = tap.collect()
            log.add("frames on the wire", describe(frames, world.ours.address(4)))
    after = world.kernel.counters()
    log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, after))
    recovered = recovery_since(before, after)
    if recovered:
        raise Recovered("packets were retransmitted: " + ", ".join(recovered))
    return frames


def check_path_mtu(frames, size, ib_mtu, count):
    packets = math.ceil(size / ib_mtu) * count
    for name, opcodes in (("READ responses", range(READ_FIRST, READ_ONLY + 1)), ("WRITEs", WRITES)):
        seen = sum(frame.opcode in opcodes for frame in frames)
        if seen != packets:
            raise CaseFailed("%d packets of %s instead of %d: the path MTU is not %d" % (seen, name, packets, ib_mtu))


def rping(our_role, family, ib_mtu, size, count, options="", ours=""):
    """`options` go to both sides, `ours` to our program only."""
    def run(world, log):
        if ours and world.ours.is_kernel:
            raise CaseSkipped("%s is an option of our program, and a kernel stands in for it" % ours)

        def ping():
            with ProgramRun(world, log, "rping", our_role, family) as programs:
                programs.start_server("-S", str(size), *options.split(), ours=ours.split())
                client = programs.start_client("-S", str(size), "-C", str(count), *options.split(), ours=ours.split())
                programs.finish()
                check_pings("ping data: ", client, count, size)
                check_pings("server ping data: ", programs.server_run, count, size)
        frames = without_retransmissions(world, log, ping)
        check_path_mtu(frames, size, ib_mtu, count)
    return run


def several_clients(our_role, clients, count):
    """A persistent server with several clients at once."""
    def run(world, log):
        def ping():
            with ProgramRun(world, log, "rping", our_role, 4) as programs:
                programs.start_server("-P")
                for _ in range(clients):
                    # Several NICs of ours on one host would need different addresses.
                    programs.start_client("-C", str(count))
                    if not programs.client.is_kernel:
                        programs.finish(server_ends=False)
                programs.finish(server_ends=False)
                for client in programs.client_runs:
                    check_pings("ping data: ", client, count, 64)
                check_pings("server ping data: ", programs.server_run, count, 64, clients)
        without_retransmissions(world, log, ping)
    return run


def udaddy(our_role, family, options, ours=""):
    def run(world, log):
        if ours and world.ours.is_kernel:
            raise CaseSkipped("%s is an option of our program, and a kernel stands in for it" % ours)
        with ProgramRun(world, log, "udaddy", our_role, family) as programs:
            programs.start_server(*options.split(), ours=ours.split())
            programs.start_client(*options.split(), ours=ours.split())
            programs.finish()
            for command in (programs.server_run, programs.client_runs[0]):
                check_words(command.output, ("data transfers complete", "return status 0"))
    return run


def message(our_role, family):
    """rdma_client and rdma_server."""
    def run(world, log):
        def exchange():
            with ProgramRun(world, log, "rdma_server", our_role, family) as programs:
                programs.start_server()
                client = programs.start_client()
                programs.finish()
                check_words(programs.server_run.output, ("rdma_server: end 0",))
                check_words(client.output, ("rdma_client: end 0",))
        without_retransmissions(world, log, exchange)
    return run


def no_listener(program, our_role, kernel_text, our_text):
    """The client connects to a port without a listener."""
    def run(world, log):
        with ProgramRun(world, log, "rping", our_role, 4) as busy, ProgramRun(world, log, program, our_role, 4) as programs:
            # A server on another port keeps our NIC open; the kernel's is always there.
            busy.port = 7100
            busy.start_server("-p", "7100")
            programs.start_client()
            output = programs.refused()
            check_words(output, (kernel_text,) if programs.client.is_kernel else (kernel_text, our_text))
    return run


def check_words(output, wanted):
    for words in wanted:
        if words not in output:
            raise CaseFailed("the output lacks '%s': %s" % (words, last_line(output)))


def faulty(our_role, fault):
    def run(world, _log):
        before = world.kernel.counters()
        with FrameTap(world.kernel.tap) as tap:
            with ProgramRun(world, _log, "rping", our_role, 4) as programs:
                programs.start_server("-S", "3000")
                client = programs.start_client("-S", "3000", "-C", "10")
                programs.finish(FAULTY_SECONDS, server_ends=False)
                check_pings("ping data: ", client, 10, 3000)
                if our_role == "server" and programs.server_run.wait(DISCONNECT_SECONDS) is None:
                    raise DreqLost("the server still waits for a DREQ")
                programs.finish(FAULTY_SECONDS)
                check_pings("server ping data: ", programs.server_run, 10, 3000)
            # Queue pair 1 has retransmissions of its own.
            frames = [frame for frame in tap.collect() if frame.qpn != 1]
            retransmitted = count_retransmitted(frames, world.ours.address(4))
        return moved(({"retransmitted_pkts": 0}, before), ({"retransmitted_pkts": retransmitted}, world.kernel.counters()))
    return run


def cases():
    found = []
    for interface_mtu, ib_mtu in MTUS:
        for role in ROLES:
            for family in (4, 6):
                where = "%s v%d mtu%d" % (role, family, ib_mtu)
                for size, count in ((64, 10), (10000, 3)):
                    found.append(Case("rping %s size %d" % (where, size), interface_mtu, rping(role, family, ib_mtu, size, count)))
                found.append(Case("udaddy %s" % where, interface_mtu, udaddy(role, family, "-S %d" % ib_mtu)))
                found.append(Case("rdma_server, rdma_client %s" % where, interface_mtu, message(role, family)))
    interface_mtu, ib_mtu = MTUS[0]
    for role in ROLES:
        where = "%s v4 mtu%d" % (role, ib_mtu)
        for name, action in (("rping %s size 65535", rping(role, 4, ib_mtu, 65535, 1)),
                             ("rping %s -q", rping(role, 4, ib_mtu, 64, 3, options="-q")),
                             ("rping %s, two engines of ours", rping(role, 4, ib_mtu, 10000, 3, ours="--engines 2")),
                             ("rping %s -P, three clients", several_clients(role, 3, 5)),
                             ("udaddy %s -c 3", udaddy(role, 4, "-c 3")),
                             ("udaddy %s, two engines of ours", udaddy(role, 4, "-c 2", ours="--engines 2")),
                             ("rping %s, no listener",
                              no_listener("rping", role, "RDMA_CM_EVENT_REJECTED, error 8", "no listener on TCP port 7174 at")),
                             ("udaddy %s, no listener",
                              no_listener("udaddy", role, "RDMA_CM_EVENT_UNREACHABLE, error: 1", "no listener on UDP port 7174 at"))):
            found.append(Case(name % where, interface_mtu, action))
    for name, fault in FAULTS:
        for role in ROLES:
            found.append(Case("netem %s: rping %s" % (name, role), interface_mtu, faulty(role, fault), fault=fault))
    return found
