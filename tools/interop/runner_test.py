"""Tests of the runner, without guests: python3 -B -m unittest runner_test."""

import contextlib
import io
import unittest

import cases
from cases import Case, CaseFailed, Runner
from guest import GuestGone


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
    left = [None] * times

    def run(world, log):
        if left:
            left.pop()
            world.is_in_disorder = True
            raise CaseFailed("no response")
    return run


class RunnerTest(unittest.TestCase):
    def _run(self, world, actions, wanted, text):
        printed = io.StringIO()
        runner = Runner(world)
        with contextlib.redirect_stdout(printed):
            status = runner.run([Case("case %d" % number, 1500, action) for number, action in enumerate(actions, 1)])
        self.assertEqual((status, runner.passed, len(runner.failures), world.restarts), wanted)
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
