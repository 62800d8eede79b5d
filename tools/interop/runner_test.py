"""Tests of the runner, of programs.py and of tools/kernel-peer, without guests: python3 -B -m unittest runner_test."""

import contextlib
import io
import os
import subprocess
import tempfile
import types
import unittest
from unittest import mock

import cases
import program_cases
from cases import Case, CaseFailed, Log, Runner
from guest import GuestGone

SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernel-peer")


class FakeWorld:
    """A kernel peer that fails all cases once a case left it in disorder, until it boots anew."""

    def __init__(self, boots=True, answers=True):
        self.is_in_disorder = False
        self.restarts = 0
        self._boots = boots
        self._answers = answers
        self.check = self.close = lambda: None

    def prepare(self, case):
        if self.is_in_disorder:
            raise GuestGone("the peer is in disorder")

    def diagnose(self):
        if not self._answers:
            raise OSError("connection reset")
        return "its network is dead"

    def restart(self):
        if not self._boots:
            raise GuestGone("it does not boot again")
        self.restarts += 1
        self.is_in_disorder = False


def passes(world, log):
    return None


def breaks_kernel(times):
    """An action that leaves the kernel peer in disorder in its first runs."""
    left = [None] * times

    def run(world, log):
        if left:
            left.pop()
            world.is_in_disorder = True
            raise CaseFailed("no response")
    return run


class RunnerTest(unittest.TestCase):
    def _run(self, world, actions, wanted, text):
        """Checks status, cases that passed and failed, boots, and what was printed."""
        printed = io.StringIO()
        runner = Runner(world)
        with contextlib.redirect_stdout(printed):
            status = runner.run([Case("case %d" % number, 1500, action) for number, action in enumerate(actions, 1)])
        self.assertEqual((status, runner.passed, runner.failed, world.restarts), wanted)
        self.assertIn(text, printed.getvalue())

    def test_case_that_breaks_the_kernel_fails_alone_and_is_run_once_more(self):
        self._run(FakeWorld(), [passes, breaks_kernel(1), passes, passes], (0, 4, 0, 1), "failed once and then passed:   2 case 2")

    def test_case_that_fails_twice_fails_the_suite(self):
        self._run(FakeWorld(), [breaks_kernel(2), passes], (1, 1, 1, 1), "\n1 passed, 1 failed\n")

    def test_peer_that_does_not_boot_ends_the_run(self):
        self._run(FakeWorld(boots=False), [breaks_kernel(1), passes, passes], (1, 0, 3, 0),
                  "FAIL   2 the remaining 2 cases: it does not boot again")

    def test_failure_is_reported_although_the_peer_cannot_be_examined(self):
        self._run(FakeWorld(answers=False), [breaks_kernel(2)], (1, 0, 1, 1),
                  "FAIL   1 case 1: no response; afterwards it could not be examined: connection reset")

    def test_boots_are_bounded(self):
        actions = [breaks_kernel(2) for _ in range(cases.MAXIMUM_RESTARTS + 5)]
        self._run(FakeWorld(), actions, (1, 0, len(actions), cases.MAXIMUM_RESTARTS),
                  "the remaining 4 cases: the kernel peers have booted anew")


def fake_peer(name, status):
    """A peer whose only program ends with a status, or hangs: None."""
    command = mock.Mock(output="Final: 1", wait=lambda seconds: status)
    peer = mock.Mock(is_kernel=False, start_program=lambda *_: command, wait_server=lambda *_: True, address=lambda family: "127.0.0.1",
                     describe_stuck=lambda run: "it waits for a completion")
    peer.name = name
    return peer


class ProgramsTest(unittest.TestCase):
    def test_program_that_hangs_is_described(self):
        for server_status, client_status, stuck, other, reason in (
                (None, 0, "our NIC", "kernel peer 1", "the server (our NIC) did not end"),
                (0, None, "kernel peer 1", "our NIC", "the client (kernel peer 1) did not end")):
            log = Log()
            world = types.SimpleNamespace(ours=fake_peer("our NIC", server_status), kernel=fake_peer("kernel peer 1", client_status))
            with self.assertRaises(CaseFailed) as failed:
                program_cases.library("server", ["true"], ["true"], "^Final")(world, log)
            self.assertIn(reason, str(failed.exception))
            self.assertIn("==== what %s was doing\nit waits for a completion" % stuck, log.text())
            self.assertNotIn("what %s was doing" % other, log.text())


# Everything that needs root, a network or a guest, replaced.
STAND_INS = """
install_packages() { :; }
prepare_kernel() { kernel_dir=$state; }
make_network() { :; }
make_initramfs() { :; }
make_taps() { :; }
set_host_mtu() { :; }
guest_pid() { [ -e "$state/guest$1.pid" ]; }
stop_guest() { rm -f "$state/guest$1.pid"; }
start_guest() { touch "$state/guest$1.pid"; }
wait_for_guest() { [ -z "${hangs:-}" ] || die "peer $1 was not ready"; }
prepare_newer() { newer_problem="no kernel of Debian"; return 1; }
ip() { :; }
"""


class KernelPeerTest(unittest.TestCase):
    def test_boots_and_restarts(self):
        for command, booted, status, text, left in (
                ("restart 1", ["guest1"], 0, "peer 1 is ready", ["guest1.log", "guest1.pid"]),
                # The network and its console stay.
                ("hangs=1; restart 1", ["guest1"], 1, "peer 1 was not ready", ["guest1.log"]),
                ("hangs=1; up 2", [], 1, "peer 1 was not ready", None),
                ("hangs=1; newer", [], 1, "peer 1 was not ready", None),
                ("restart 8", ["guest1"], 1, "peer '8' was never booted", ["guest1.log", "guest1.pid"]),
                ("restart 8", ["guest1", "guest8"], 1, "no kernel of Debian", ["guest1.log", "guest1.pid", "guest8.log"])):
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                state = os.path.join(folder, "state")
                if booted:
                    os.makedirs(state)
                for name in booted:
                    for end in (".pid", ".log"):
                        with open(os.path.join(state, name + end), "w", encoding="ascii"):
                            pass
                script = '. "$0" help >/dev/null\nstate=$1 cache=$2\n%s\ntrap run_at_exit EXIT\n%s' % (STAND_INS, command)
                done = subprocess.run(["bash", "-c", script, SCRIPT, state, os.path.join(folder, "cache")], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(sorted(os.listdir(state)) if os.path.exists(state) else None, left)


if __name__ == "__main__":
    unittest.main()
