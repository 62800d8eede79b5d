"""One kernel peer, controlled from the host: runs commands in it, reads its counters, looks at its ports.

Must run inside the peers' network namespace. As a program: guest.py INDEX COMMAND... runs one command and ends with its exit status;
without a command it tells whether the peer is ready.
"""

import contextlib
import json
import signal
import socket
import sys
import threading

PORT = 7000
COUNTERS = "/sys/class/infiniband/rxe0/ports/1/hw_counters/*"
TCP_TABLES = "/proc/self/net/tcp /proc/self/net/tcp6"
LISTEN = "0A"


class GuestGone(Exception):
    """The guest no longer responds: it crashed or was stopped."""


class GuestCommand(threading.Thread):
    """A command running in a guest. Collects its output; stop() or a lost connection kills it."""

    def __init__(self, connection):
        super().__init__(daemon=True)
        self._connection = connection
        self._received = bytearray()
        self.status = None
        self.start()

    def run(self):
        with contextlib.suppress(OSError), self._connection:
            while part := self._connection.recv(65536):
                self._received += part
            status = self._received.rpartition(b"\0")[2]
            self.status = int(status) if status.isdigit() and len(status) < len(self._received) else None

    def wait(self, timeout_seconds):
        """Returns the exit status, or None when the time has run out or the guest is gone."""
        self.join(timeout_seconds)
        return self.status

    def stop(self):
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self.join(5)

    @property
    def printed(self):
        """What it has printed so far, without the zero byte and the status that follow."""
        before, zero, rest = bytes(self._received).rpartition(b"\0")
        return before if zero else rest

    @property
    def output(self):
        return self.printed.decode(errors="replace")


class Guest:
    """Peer number `index`, 1 or more."""

    def __init__(self, index):
        self.index = index
        self.control_address = "10.98.0.%d" % (index + 1)

    def connect(self, timeout_seconds=20.0):
        try:
            connection = socket.create_connection((self.control_address, PORT), timeout_seconds)
        except OSError as error:
            raise GuestGone("peer %d does not respond on %s: %s; see its console log" % (self.index, self.control_address, error)) from error
        connection.settimeout(None)
        return connection

    def start(self, argv):
        connection = self.connect()
        try:
            connection.sendall(json.dumps(argv).encode() + b"\n")
        except OSError as error:
            raise GuestGone("peer %d stopped responding: %s" % (self.index, error)) from error
        return GuestCommand(connection)

    def run(self, argv, timeout_seconds=60.0):
        """Runs a command to its end and returns (exit status, output). The status is None if it had to be killed."""
        command = self.start(argv)
        status = command.wait(timeout_seconds)
        command.stop()
        return status, command.output

    def run_script(self, script):
        """Runs a script that must succeed, and returns its output."""
        status, output = self.run(["sh", "-c", script])
        if status != 0:
            raise RuntimeError("a script in peer %d ended with status %s: %s" % (self.index, status, output.strip()))
        return output

    def _read(self, patterns):
        """The files whose paths match, each after its path and a colon: faster than by a command."""
        status, output = self.run(patterns, 20.0)
        if status is None:
            raise GuestGone("peer %d stopped responding" % self.index)
        return output

    def counters(self):
        lines = (line.rpartition("/")[2].split(":") for line in self._read(COUNTERS).splitlines())
        return {name: int(value) for name, value in lines if name != "lifespan"}

    def is_listening(self, port):
        lines = map(str.split, self._read(TCP_TABLES).splitlines())
        return any(words[1].endswith(":%04X" % port) and words[3] == LISTEN for words in lines)


def main():
    guest, argv = Guest(int(sys.argv[1])), sys.argv[2:]
    try:
        if not argv:
            guest.connect(0.3).close()
            return 0
        command, shown, is_running = guest.start(argv), 0, True
        while is_running:
            command.wait(0.1)
            is_running, printed = command.is_alive(), command.printed
            sys.stdout.buffer.write(printed[shown:])
            sys.stdout.flush()
            shown = len(printed)
    except GuestGone as gone:
        print("kernel-peer: %s" % gone, file=sys.stderr)
        return 125
    if command.status is None:
        print("kernel-peer: lost peer %d while the command ran" % guest.index, file=sys.stderr)
        return 125
    return command.status


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    sys.exit(main())
