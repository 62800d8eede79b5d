"""Tests of the runner, of cases and of tools/kernel-peer, without guests: python3 -B -m unittest runner_test."""

import contextlib
import io
import os
import subprocess
import tempfile
import types
import unittest

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

    def prepare(self, case):
        if self.is_in_disorder:
            raise GuestGone("the peer is in disorder")

    def check(self):
        pass

    def close(self):
        pass

    def diagnose(self):
        if not self._answers:
            raise OSError("connection reset")
        return "its network is dead", "a long report"

    def restart(self):
        if not self._boots:
            raise GuestGone("it does not boot again")
        self.restarts += 1
        self.is_in_disorder = False


def passes(world, log):
    return None


def breaks_kernel(times):
    """An action that leaves the kernel peer in disorder in its first runs."""
    left = [times]

    def run(world, log):
        if left[0]:
            left[0] -= 1
            world.is_in_disorder = True
            raise CaseFailed("no response")
    return run


def run(world, actions):
    """Returns the runner, its status, and what it printed."""
    printed = io.StringIO()
    runner = Runner(world)
    with contextlib.redirect_stdout(printed):
        status = runner.run([Case("case %d" % number, 1500, action) for number, action in enumerate(actions, 1)])
    return runner, status, printed.getvalue()


class RunnerTest(unittest.TestCase):
    def test_case_that_breaks_the_kernel_fails_alone_and_is_run_once_more(self):
        world = FakeWorld()
        runner, status, printed = run(world, [passes, breaks_kernel(1), passes, passes])
        self.assertEqual((status, runner.passed, runner.failed, world.restarts), (0, 4, 0, 1))
        self.assertIn("FAIL   2 case 2: no response; afterwards its network is dead", printed)
        self.assertIn("failed once and then passed:   2 case 2", printed)

    def test_case_that_fails_twice_fails_the_suite(self):
        world = FakeWorld()
        runner, status, printed = run(world, [breaks_kernel(2), passes])
        self.assertEqual((status, runner.passed, runner.failed, world.restarts), (1, 1, 1, 1))
        self.assertTrue(printed.endswith("1 passed, 1 failed\n"), printed)

    def test_peer_that_does_not_boot_ends_the_run(self):
        runner, status, printed = run(FakeWorld(boots=False), [breaks_kernel(1), passes, passes])
        self.assertEqual((status, runner.passed, runner.failed), (1, 0, 3))
        self.assertIn("FAIL   2 the remaining 2 cases: it does not boot again", printed)

    def test_failure_is_reported_although_the_peer_cannot_be_examined(self):
        runner, status, printed = run(FakeWorld(answers=False), [breaks_kernel(2)])
        self.assertEqual((status, runner.passed, runner.failed), (1, 0, 1))
        self.assertIn("FAIL   1 case 1: no response; afterwards it could not be examined", printed)

    def test_boots_are_bounded(self):
        world = FakeWorld()
        actions = [breaks_kernel(2) for _ in range(cases.MAXIMUM_RESTARTS + 5)]
        _, status, printed = run(world, actions)
        self.assertEqual((status, world.restarts), (1, cases.MAXIMUM_RESTARTS))
        self.assertIn("the remaining 4 cases: the kernel peers have booted anew", printed)


class FakeCommand:
    def __init__(self, status):
        self.status = status
        self.output = "Final: 1"

    def wait(self, timeout_seconds):
        return self.status

    def stop(self):
        pass


class FakePeer:
    """Its only program ends with a status, or hangs: None."""

    is_kernel = False

    def __init__(self, name, status):
        self.name = name
        self._command = FakeCommand(status)

    def address(self, family):
        return "127.0.0.1"

    def start_program(self, words, family, for_us):
        return self._command

    def wait_server(self, port, timeout_seconds, command, is_managed):
        return True

    def describe_stuck(self, command):
        return "it waits for a completion"


class ProgramsTest(unittest.TestCase):
    @staticmethod
    def _run(server_status, client_status):
        """Returns how the case failed, and its log."""
        log = Log()
        world = types.SimpleNamespace(ours=FakePeer("our NIC", server_status), kernel=FakePeer("kernel peer 1", client_status))
        with unittest.TestCase().assertRaises(CaseFailed) as failed:
            program_cases.library("server", ["true"], ["true"], "^Final")(world, log)
        return str(failed.exception), log.text()

    def test_server_that_hangs_is_described(self):
        reason, text = self._run(None, 0)
        self.assertIn("the server (our NIC) did not end", reason)
        self.assertIn("==== what our NIC was doing\nit waits for a completion", text)
        self.assertNotIn("what kernel peer 1 was doing", text)

    def test_client_that_hangs_is_described(self):
        reason, text = self._run(0, None)
        self.assertIn("the client (kernel peer 1) did not end", reason)
        self.assertIn("==== what kernel peer 1 was doing\nit waits for a completion", text)
        self.assertNotIn("what our NIC was doing", text)


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
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = os.path.join(folder.name, "state")
        self.cache = os.path.join(folder.name, "cache")

    def _script(self, command, booted=()):
        """Runs a function of tools/kernel-peer, with peers that run. Returns the finished process."""
        if booted:
            os.makedirs(self.state)
        for name in booted:
            for end in (".pid", ".log"):
                with open(os.path.join(self.state, name + end), "w", encoding="ascii"):
                    pass
        text = '. "$0" help >/dev/null\nstate=$1 cache=$2\n%s\ntrap run_at_exit EXIT\n%s' % (STAND_INS, command)
        return subprocess.run(["bash", "-c", text, SCRIPT, self.state, self.cache], capture_output=True, text=True, check=False)

    def test_peer_restarts(self):
        done = self._script("restart 1", booted=["guest1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.state, "guest1.pid")))

    def test_only_peer_that_does_not_restart_leaves_the_network_and_its_console(self):
        done = self._script("hangs=1; restart 1", booted=["guest1"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("peer 1 was not ready", done.stderr)
        self.assertEqual(os.listdir(self.state), ["guest1.log"])

    def test_peers_that_do_not_boot_are_removed(self):
        for command in ("up 2", "newer"):
            done = self._script("hangs=1; " + command)
            self.assertEqual(done.returncode, 1)
            self.assertFalse(os.path.exists(self.state))

    def test_peer_that_was_never_booted_does_not_restart(self):
        done = self._script("restart 8", booted=["guest1"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("peer '8' was never booted", done.stderr)

    def test_newer_peer_does_not_restart_without_its_packages(self):
        done = self._script("restart 8", booted=["guest1", "guest8"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("no kernel of Debian", done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.state, "guest1.pid")))


if __name__ == "__main__":
    unittest.main()
