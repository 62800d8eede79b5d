"""Programs of both sides, as server and client: starts them, waits for them, and checks what they print."""

import contextlib
import math
import re

from cases import CaseFailed, Recovered
from peers import recovery_since
from verbs_client import START_SECONDS
from wire import READ_FIRST, READ_ONLY, FrameTap

RUN_SECONDS = 120
# For a program whose peer has failed.
LEFT_ALONE_SECONDS = 5
# A case whose run is so long accepts what the kernel's stale timer explains; see README.md.
LONG_ITERATIONS = 300
STALE_TIMER_SECONDS = 0.064
# Of ibv_srq_pingpong.
QUEUE_PAIRS = 16
WRITES = range(0x06, 0x0c)


class Programs(contextlib.AbstractContextManager):
    """A server and its clients. At the end all are stopped, and the log has their output."""

    def __init__(self, world, log, where):
        self.server, self.client = (world.ours, world.kernel) if where.role == "server" else (world.kernel, world.ours)
        self.family = where.family
        self.log = log
        self.server_run = None
        self.client_runs = []

    def __exit__(self, *_):
        for role, peer, run in self._runs():
            run.stop()
            self.log.add("%s, %s" % (role, peer.name), run.output)

    def _runs(self):
        return ([("client", self.client, run) for run in self.client_runs]
                + ([("server", self.server, self.server_run)] if self.server_run else []))

    def start_server(self, words, port, is_managed=False, ours=()):
        """Starts the server and waits until it listens: on a TCP port, or on one of rdma_cm. `ours` are options for our programs only."""
        self.server_run = self.server.start_program(words, self.family, ours)
        if not self.server.wait_server(port, START_SECONDS, self.server_run, is_managed):
            raise CaseFailed("the server (%s) did not listen: %s" % (self.server.name, last_line(self.server_run.output)))

    def start_client(self, words, ours=()):
        self.client_runs.append(self.client.start_program(words, self.family, ours))
        return self.client_runs[-1]

    def finish(self, seconds=RUN_SECONDS, server_ends=True):
        """Waits for all programs; each must exit with status 0. Returns the outputs of the first client and of the server."""
        ended = []
        for role, peer, run in self._runs():
            if role == "client" or server_ends:
                others_passed = all(status == 0 for *_, status in ended)
                ended.append((role, peer, run, self.wait(peer, run, seconds if others_passed else LEFT_ALONE_SECONDS)))
        for role, peer, run, status in ended:
            if status != 0:
                raise CaseFailed("the %s (%s) %s: %s" % (role, peer.name, "did not end" if status is None else
                                                         "ended with status %d" % status, last_line(run.output)), run.output)
        return self.client_runs[0].output, self.server_run.output

    def wait(self, peer, run, seconds=RUN_SECONDS):
        """The exit status of a program; None when it hangs, which the log then describes."""
        status = run.wait(seconds)
        if status is None:
            self.log.add("what %s was doing" % peer.name, peer.describe_stuck(run))
        return status


def run_both(world, log, where, words, port, is_managed=False):
    """Runs a program that takes the server's address last. Over a faulty link it exchanges addresses on the control network."""
    with Programs(world, log, where) as programs:
        programs.start_server(words, port, is_managed)
        # The side channel uses IPv4: ibv_rc_pingpong chooses what it listens on.
        programs.start_client(words + [programs.server.control_address if where.fault else programs.server.address(4)])
        return programs.finish()


@contextlib.contextmanager
def last_ack_may_be_lost(world, is_faulty):
    """For programs whose peer exits first, over a faulty link: when our side or the server fails, all data had arrived. The acknowledgement of
    the last message may have been lost, and no process is left to retransmit the message: the case is tried again.
    """
    try:
        yield
    except CaseFailed as failure:
        text = str(failure)
        if is_faulty and (text.startswith("the server") or "(%s) ended with status" % world.ours.name in text):
            raise Recovered(text, note="the last acknowledgement was lost") from failure
        raise


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"


def check_words(output, *wanted):
    for words in wanted:
        if words not in output:
            raise CaseFailed("the output lacks '%s': %s" % (words, last_line(output)))


def check_data(outputs, total_bytes):
    """Both sides of a pingpong must report the bytes moved; the server of a -c run prints the pages that differ."""
    for output in outputs:
        check_words(output, "%d bytes in" % total_bytes)
        if "invalid data" in output:
            raise CaseFailed("a pingpong received wrong data: %s" % last_line(output))


def check_queue_pairs(output):
    for side in ("local address:", "remote address:"):
        count = sum(line.strip().startswith(side) for line in output.splitlines())
        if count != QUEUE_PAIRS:
            raise CaseFailed("%d lines of '%s' instead of %d" % (count, side, QUEUE_PAIRS))


def check_recovery(before, after, run_seconds, duplicates=0, is_long=False):
    """Allows no retransmission, in a long run or the last try none but so many duplicates and what the kernel's stale timer explains: it
    retransmits at most once in 64 ms.
    """
    forgiven = dict(before)
    for counter, most in ("completer_retry_err", run_seconds // STALE_TIMER_SECONDS), ("duplicate_request", duplicates):
        if after[counter] - before[counter] <= most:
            forgiven[counter] = after[counter]
    recovered, unexplained = recovery_since(before, after), recovery_since(forgiven, after)
    if unexplained or recovered and not is_long:
        raise Recovered("packets were retransmitted: " + ", ".join(recovered), is_explained=not unexplained)


def check_timers(before, after, iterations, packets, output):
    """Our NIC probes a stalled guest before its timeout: one duplicate for every ten messages of a long run, or for every fifty packets."""
    found = re.search(r"iters in ([0-9.]+) seconds", output)
    is_long = iterations == LONG_ITERATIONS
    duplicates = max(packets // 50, iterations // 10 if is_long else 0)
    check_recovery(before, after, float(found.group(1)) if found else 0, duplicates, is_long)


def check_perftest(outputs, ib_mtu, iterations, queue_pairs, is_server_silent):
    """Both sides must have used this path MTU, reported this number of messages (any for None), and shown each other's addresses."""
    for role, output in zip(("client", "server"), outputs):
        if not re.search(r"^ Mtu +: %d\[B\]$" % ib_mtu, output, re.MULTILINE):
            raise CaseFailed("the %s does not use path MTU %d: %s" % (role, ib_mtu, last_line(output)))
        # A row has size, messages and a result, which is "inf" where a busy guest could not measure its clock.
        rows = [line.split() for line in output.splitlines() if re.match(r" \d+ +\d+ +([0-9.]+|inf)\s", line)]
        counted = int(rows[-1][1]) if rows else 0
        if (counted < 1 or iterations not in (None, counted)) and not (role == "server" and is_server_silent):
            raise CaseFailed("the %s reported %d messages instead of %s" % (role, counted, iterations or "at least one"))
    for output, other_output in (outputs, outputs[::-1]):
        own, remote = (re.findall(r"^ %s address: (.*)$" % side, text, re.MULTILINE)
                       for side, text in (("local", output), ("remote", other_output)))
        if len(own) != queue_pairs or own != remote:
            raise CaseFailed("one side shows the local addresses %s, the other the remote addresses %s" % (own, remote))


def ping_text(number, size):
    """The payload of a ping of rping, without the zero at its end."""
    head = "rdma-ping-%d: " % number
    letters = ord("z") - ord("A") + 1
    return head + "".join(chr(ord("A") + (number + i) % letters) for i in range(size - 1 - len(head)))


def check_pings(title, output, count, size, times=1):
    shown = [line[len(title):] for line in output.splitlines() if line.startswith(title)]
    wanted = [ping_text(number, size) for number in range(count)]
    if shown != wanted if times == 1 else sorted(shown) != sorted(wanted * times):
        raise CaseFailed("'%s' does not show the %d pings of %d bytes: %s" % (title.strip(), count * times, size, last_line(output)))


@contextlib.contextmanager
def without_retransmissions(world, log):
    """Yields a list that has all frames afterwards. Fails when something was retransmitted."""
    before = world.kernel.counters()
    with FrameTap(world.kernel.tap, log, world.ours.address(4)) as tap:
        yield tap.frames
    after = world.kernel.counters()
    log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, after))
    check_recovery(before, after, tap.frames[-1].seconds - tap.frames[0].seconds if tap.frames else 0)


def check_path_mtu(frames, size, ib_mtu, count):
    """rping reads and writes its payload once for each ping: the number of packets shows the path MTU of the connection."""
    packets = math.ceil(size / ib_mtu) * count
    for name, opcodes in (("READ responses", range(READ_FIRST, READ_ONLY + 1)), ("WRITEs", WRITES)):
        seen = sum(frame.opcode in opcodes for frame in frames)
        if seen != packets:
            raise CaseFailed("%d packets of %s instead of %d: the path MTU is not %d" % (seen, name, packets, ib_mtu))
