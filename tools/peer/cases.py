"""What a case is, and how a list of cases is run and reported."""

import os
import re
import shutil
import tempfile
import time
import traceback

from guest import GuestGone


MAXIMUM_TRIES = 5


class CaseFailed(Exception):
    """The peers did not do what the case expects; the text says what happened instead."""


class CaseSkipped(Exception):
    """The case cannot run here; the text says why."""


class Recovered(CaseFailed):
    """All data is right, but packets were resent on a network that loses none.

    A busy machine can stall a peer beyond its acknowledgement timeout of 67 ms, so such a case gets more tries. When
    the kernel's own timer explains all of it (is_explained), the last try is good enough.
    """

    note = "packets were resent before"

    def __init__(self, text, is_explained=False):
        super().__init__(text)
        self.is_explained = is_explained


class Case:
    """One line of the report.

    `action` takes the world and a Log, and raises when it is not satisfied; what it returns, if anything, is shown behind the
    line. `fault` is what the link to the kernel peer suffers meanwhile (faults.Fault).
    """

    def __init__(self, name, interface_mtu, action, uses_agents=False, fault=None):
        self.name = name
        self.interface_mtu = interface_mtu
        self.action = action
        self.uses_agents = uses_agents
        self.fault = fault


class Log:
    """What a case leaves behind for whoever must find out why it failed."""

    def __init__(self):
        self._parts = []

    def add(self, title, text):
        """text: a string, or a list of lines."""
        if not isinstance(text, str):
            text = "\n".join(text)
        self._parts.append("==== %s\n%s\n" % (title, text.rstrip("\n")))

    def text(self):
        return "".join(self._parts)


class Runner:
    """Runs cases in the order it is given and prints one line for each."""

    def __init__(self, world, capture_dir=None):
        self._world = world
        self._log_dir = tempfile.mkdtemp(prefix="kernel-peer-logs.")
        self._capture_dir = capture_dir
        self.passed = self.failed = self.skipped = 0

    def run(self, cases):
        number = 0
        try:
            for number, case in enumerate(cases, 1):
                self._run_case(number, case)
        except GuestGone as gone:
            self.failed += 1
            print("FAIL %3d the remaining %d cases: %s" % (number, len(cases) - number + 1, gone), flush=True)
        finally:
            self._world.close()
        if not self.failed:
            shutil.rmtree(self._log_dir, ignore_errors=True)
        summary = "%d passed, %d failed" % (self.passed, self.failed)
        print(summary + (", %d skipped" % self.skipped if self.skipped else ""), flush=True)
        return 1 if self.failed or not self.passed else 0

    def _run_case(self, number, case):
        start = time.monotonic()
        log = Log()
        tries, note = 1, ""
        try:
            self._world.prepare(case)
            while True:
                try:
                    shown = self._attempt(number, case, log)
                    note = note or ("  " + shown if shown else "")
                    break
                except Recovered as recovered:
                    log.add("try %d" % tries, str(recovered))
                    if tries == MAXIMUM_TRIES:
                        if not recovered.is_explained:
                            raise
                        note = "  (kernel timer: %s)" % recovered
                        break
                    tries += 1
                    note = "  (try %d: %s)" % (tries, recovered.note)
        except CaseSkipped as skipped:
            self.skipped += 1
            print("skip %3d %s: %s" % (number, case.name, skipped), flush=True)
        except GuestGone:
            self._keep(number, case, log)
            raise
        except CaseFailed as failure:
            self._fail(number, case, log, str(failure))
        except Exception as error:  # A defect of the suite fails the case and not the run.
            log.add("exception", traceback.format_exc())
            self._fail(number, case, log, "%s: %s" % (type(error).__name__, error))
        else:
            self.passed += 1
            print("ok   %3d %-56s %5.1fs%s" % (number, case.name, time.monotonic() - start, note), flush=True)

    def _attempt(self, number, case, log):
        if self._capture_dir:
            path = os.path.join(self._capture_dir, "%03d-%s.pcap" % (number, file_name(case.name)))
            with self._world.capture(path):
                return case.action(self._world, log)
        return case.action(self._world, log)

    def _fail(self, number, case, log, reason):
        self.failed += 1
        print("FAIL %3d %s: %s (log: %s)" % (number, case.name, reason, self._keep(number, case, log)), flush=True)

    def _keep(self, number, case, log):
        path = os.path.join(self._log_dir, "%03d-%s.log" % (number, file_name(case.name)))
        # Somebody may have tidied /tmp while the suite ran.
        os.makedirs(self._log_dir, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(log.text() or "nothing was logged\n")
        return path


def file_name(case_name):
    return re.sub(r"[^a-z0-9]+", "-", case_name.lower()).strip("-")
