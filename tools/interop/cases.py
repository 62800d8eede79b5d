"""A case of the suite, and the runner that executes cases and reports them."""

import collections
import os
import re
import shutil
import tempfile
import time
import traceback
from dataclasses import dataclass
from typing import Callable

from guest import GuestGone

MAXIMUM_TRIES = 5
# More failures than this have one reason, which a second run would not remove.
MAXIMUM_RERUNS = 10
# The kernel peers boot anew after each failure. More boots than this would only make a broken run long.
MAXIMUM_RESTARTS = 30


class CaseFailed(Exception):
    """The peers did not do what the case expects; the text says what happened instead, and `output` what the program printed."""

    def __init__(self, text, output=""):
        super().__init__(text)
        self.output = output


class CaseSkipped(Exception):
    """The case cannot run here; the text says why."""


class Recovered(CaseFailed):
    """All data is correct, but packets were retransmitted on a network that loses none.

    A busy machine can stall a peer for longer than its acknowledgement timeout of 67 ms, so such a case is tried again.
    If the kernel's own timer explains every retransmission (is_explained), the last try passes.
    """

    def __init__(self, text, is_explained=False, note="packets were retransmitted"):
        super().__init__(text)
        self.is_explained = is_explained
        self.note = note


@dataclass
class Case:
    """One line of the report.

    `action` takes the world and a Log, and raises CaseFailed when a check fails; the text it returns, if any, is printed at the
    end of the line. `agent` is the kind of our verbs agent (OwnPeer.start_agent), None for a case without agents. `fault` is applied to
    the link of the kernel peer while the case runs (parameters of netem). `peer` is the number of the peer that it needs, `harms` that of one
    that never gets it. `fetch` runs before all cases, where downloads are possible; it must not fail.
    """

    name: str
    interface_mtu: int
    action: Callable
    agent: str = None
    fault: str = None
    peer: int = 1
    harms: int = 0
    fetch: Callable = None


def bound(function, *arguments):
    """The action that calls a function with these arguments behind world and log."""
    return lambda world, log: function(world, log, *arguments)


def alternatives(line):
    """Those that {a,b} stands for, as in a shell; where the same braces come again, for the same word of them."""
    found = re.search(r"\{([^{}]+,[^{}]+)\}", line)
    return [each for word in found[1].split(",") for each in alternatives(line.replace(found[0], word))] if found else [line]


def table(name):
    """The rows of a file in this folder, whose first line has the names of its columns."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="ascii") as file:
        columns, *rows = (row.rstrip("\n").split("\t") for line in file if line.strip() and line[0] != "#" for row in alternatives(line))
    return list(map(collections.namedtuple("Row", columns)._make, rows))


class Log(list):
    """What a case records to help find out why it failed."""

    def add(self, title, text):
        """`text` is a string or a list of lines."""
        text = text if isinstance(text, str) else "\n".join(text)
        self.append("==== %s\n%s\n" % (title, text.rstrip("\n")))


class Runner:
    """Runs cases in the order given, and those that failed once more at the end. Prints one line for each run of a case.

    The case that fails twice fails the suite; the one that fails once is named below the summary, with its log. After a failure the
    kernel peers boot anew: a kernel that a case left in disorder would fail all cases after it.
    """

    def __init__(self, world):
        self._world = world
        self._log_dir = tempfile.mkdtemp(prefix="kernel-peer-logs.")
        self.passed = self.skipped = 0
        self.failures = []
        self._restarts = 0
        self._is_kernel_suspect = False

    def run(self, cases):
        remaining = list(enumerate(cases, 1))
        unstable = []
        try:
            self._run_all(remaining)
            if len(self.failures) <= MAXIMUM_RERUNS:
                first, self.failures = self.failures, []
                remaining = [(number, case) for number, case, _ in first]
                self._run_all(remaining)
                failed_twice = {number for number, _, _ in self.failures}
                unstable = [failure for failure in first if failure[0] not in failed_twice]
        except GuestGone as gone:
            print("FAIL %3d the remaining %d cases: %s" % (remaining[0][0], len(remaining), gone), flush=True)
            self.failures.extend((number, case, str(gone)) for number, case in remaining)
        finally:
            self._world.close()
        if not self.failures and not unstable:
            shutil.rmtree(self._log_dir, ignore_errors=True)
        for number, case, reason in unstable:
            print("failed once and then passed: %3d %s: %s" % (number, case.name, reason), flush=True)
        summary = "%d passed, %d failed" % (self.passed, len(self.failures))
        print(summary + (", %d skipped" % self.skipped if self.skipped else ""), flush=True)
        return 1 if self.failures or not self.passed else 0

    def _run_all(self, remaining):
        while remaining:
            if self._is_kernel_suspect:
                if self._restarts == MAXIMUM_RESTARTS:
                    raise GuestGone("the kernel peers have booted anew %d times" % MAXIMUM_RESTARTS)
                self._restarts += 1
                self._world.restart()
                self._is_kernel_suspect = False
            self._run_case(*remaining[0])
            remaining.pop(0)

    def _run_case(self, number, case):
        start = time.monotonic()
        log = Log()
        tries, note = 1, ""
        try:
            self._world.prepare(case)
            while True:
                try:
                    result = case.action(self._world, log)
                    self._world.check()
                    note = note or ("  " + result if result else "")
                    break
                except Recovered as recovered:
                    log.add("try %d" % tries, str(recovered))
                    if tries == MAXIMUM_TRIES:
                        if not recovered.is_explained:
                            raise
                        note = "  (kernel timer: %s)" % recovered
                        break
                    tries += 1
                    note = "  (try %d: %s before)" % (tries, recovered.note)
        except CaseSkipped as skipped:
            self.skipped += 1
            print("skip %3d %s: %s" % (number, case.name, skipped), flush=True)
        except (CaseFailed, GuestGone) as failure:
            self._fail(number, case, log, str(failure))
        except Exception as error:  # A defect of the suite fails the case, not the run.
            log.add("exception", traceback.format_exc())
            self._fail(number, case, log, "%s: %s" % (type(error).__name__, error))
        else:
            self.passed += 1
            print("ok   %3d %-56s %5.1fs%s" % (number, case.name, time.monotonic() - start, note), flush=True)

    def _fail(self, number, case, log, reason):
        self._is_kernel_suspect = True
        try:
            state = self._world.diagnose()
        except Exception as error:  # The case failed for a reason of its own, which must be seen.
            state = "it could not be examined: %s" % error
        reason = "%s; afterwards %s (log: %s)" % (reason, state, self._keep(number, case, log))
        self.failures.append((number, case, reason))
        print("FAIL %3d %s: %s" % (number, case.name, reason), flush=True)

    def _keep(self, number, case, log):
        path = os.path.join(self._log_dir, "%03d-%s.log" % (number, re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-")))
        # /tmp may have been cleaned while the suite ran.
        os.makedirs(self._log_dir, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write("".join(log) or "the case logged nothing\n")
        return path
