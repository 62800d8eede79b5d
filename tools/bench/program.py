"""A program that runs beside a script."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

RXE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "rxe")
STOCK_VARIABLES = "RXE_STOCK_VARIABLES"


class Failed(Exception):
    """A program ended that should not, or did not do in time what it should."""


class Program(contextlib.AbstractContextManager):
    """A command in a process group of its own, until the end of the with statement."""

    def __init__(self, words, **variables):
        self._name = " ".join(words)[:80].replace("\n", " ")
        self._file = tempfile.TemporaryFile()
        self._process = subprocess.Popen(words, bufsize=0, stdin=subprocess.PIPE, stdout=self._file, stderr=subprocess.STDOUT,
                                         start_new_session=True, env=dict(os.environ, **variables))
        self.pid = self._process.pid

    def __exit__(self, *_):
        self.stop()
        self._file.close()

    def stop(self):
        """Kills its process group. Its output can still be read."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()

    @property
    def status(self):
        """The exit status, None while it runs."""
        return self._process.poll()

    @property
    def output(self):
        """What it printed so far, errors too. pread, because both processes share the offset of the file."""
        return os.pread(self._file.fileno(), os.fstat(self._file.fileno()).st_size, 0).decode(errors="replace")

    def say(self, line):
        self._process.stdin.write((line + "\n").encode())

    def lines(self, word):
        """The words behind this one, of each whole line that begins with it."""
        return [line[len(word) + 1:].split(" ") for line in self.output.split("\n")[:-1] if line.split(" ", 1)[0] == word]

    def check(self, *wanted):
        """Raises Failed unless the status is one of these."""
        if self.status not in wanted:
            raise Failed("%s: status %s:\n%s" % (self._name, self.status, self.output[-4096:]))

    def wait_for(self, is_so, seconds):
        """Waits until something is so, and returns it, while the program runs."""
        deadline = time.monotonic() + seconds
        while not (found := is_so()):
            self.check(None)
            if time.monotonic() > deadline:
                raise Failed("%s: not ready within %d s:\n%s" % (self._name, seconds, self.output[-4096:]))
            time.sleep(0.02)
        return found

    def wait(self, seconds):
        """Waits for its end. The exit status, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self.status

    def finish(self, seconds):
        self.wait(seconds)
        self.check(0)


def end(main):
    """Ends the script with the status of main. A signal unwinds the stack, unless it is ignored; a reader who leaves costs no word."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter would print what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 128 + signal.SIGPIPE
    sys.exit(status)


def stock_variables(*options):
    """The environment of stock programs on our NIC. The build may need the network, so it comes before any namespace; a script that one of
    ours starts gets what that one got."""
    if STOCK_VARIABLES not in os.environ:
        os.environ[STOCK_VARIABLES] = subprocess.run([RXE, "env", *options], check=True, text=True, stdout=subprocess.PIPE,
                                                     env={name: value for name, value in os.environ.items() if name != "RXE_DEV"}).stdout
    # The word after export, without quotes.
    return dict(shlex.split(line)[1].split("=", 1) for line in os.environ[STOCK_VARIABLES].splitlines())
