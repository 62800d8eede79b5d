"""One kernel peer, controlled from the host: runs commands in it, reads its counters, looks at its ports.

Must run inside the peers' network namespace. As a program: guest.py INDEX COMMAND... runs one command and
ends with its exit status.
"""

import json
import os
import socket
import struct
import sys
import threading

PORT = 7000
STDOUT, STDERR, EXIT, REPLY = b"o", b"e", b"x", b"a"
LISTEN = "0A"


class GuestGone(Exception):
    """The guest no longer responds: it crashed or was stopped."""


def receive_exactly(connection, count):
    parts = []
    while count:
        part = connection.recv(min(count, 65536))
        if not part:
            raise GuestGone("the guest closed the control connection")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def receive_frame(connection):
    header = receive_exactly(connection, 5)
    return header[:1], receive_exactly(connection, struct.unpack(">I", header[1:])[0])


class GuestCommand:
    """A command running in a guest. Collects its output; stop() or a lost connection kills it."""

    def __init__(self, connection, on_output=None):
        self._connection = connection
        self._on_output = on_output
        self._output = []
        self.status = None
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self):
        try:
            while True:
                kind, payload = receive_frame(self._connection)
                if kind == EXIT:
                    self.status = int(payload)
                    return
                self._output.append(payload)
                if self._on_output:
                    self._on_output(kind, payload)
        except (OSError, GuestGone):
            pass
        finally:
            self._connection.close()

    def wait(self, timeout_seconds):
        """Returns the exit status, or None when the time has run out or the guest is gone."""
        self._thread.join(timeout_seconds)
        return self.status

    @property
    def has_ended(self):
        return not self._thread.is_alive()

    def stop(self):
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._thread.join(5)

    @property
    def output(self):
        return b"".join(self._output).decode(errors="replace")


class Guest:
    """Peer number `index`, 1 or more."""

    def __init__(self, index):
        self.index = index
        self.control_address = "10.98.0.%d" % (index + 1)
        self.ipv4 = "10.99.0.%d" % (index + 1)
        self.ipv6 = "fd99::%d" % (index + 1)

    def _connect(self, request, timeout_seconds=20.0):
        try:
            connection = socket.create_connection((self.control_address, PORT), timeout_seconds)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(json.dumps(request).encode() + b"\n")
            return connection
        except OSError as error:
            raise GuestGone("peer %d does not respond on %s: %s; see its console log"
                            % (self.index, self.control_address, error)) from error

    def _query(self, request, timeout_seconds=20.0):
        with self._connect(request, timeout_seconds) as connection:
            try:
                return json.loads(receive_frame(connection)[1])
            except OSError as error:
                raise GuestGone("peer %d stopped responding: %s" % (self.index, error)) from error

    def start(self, argv, on_output=None):
        connection = self._connect({"run": argv})
        connection.settimeout(None)
        return GuestCommand(connection, on_output)

    def run(self, argv, timeout_seconds=60.0):
        """Runs a command to its end and returns (exit status, output). The status is None if it had to be killed."""
        command = self.start(argv)
        status = command.wait(timeout_seconds)
        command.stop()
        return status, command.output

    def counters(self):
        """Returns the hw_counters of the rxe device, by their kernel names."""
        return self._query({"counters": True})

    def is_listening(self, port):
        """Whether something listens on a TCP port."""
        return self._query({"listening": port})

    def is_ready(self, timeout_seconds=0.3):
        try:
            return self._query({"ready": True}, timeout_seconds) == "ready"
        except GuestGone:
            return False


def is_listening(port):
    wanted = ":%04X" % port
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        with open(table, encoding="ascii") as file:
            for line in file:
                words = line.split()
                if words[1].endswith(wanted) and words[3] == LISTEN:
                    return True
    return False


def main():
    index, argv = int(sys.argv[1]), sys.argv[2:]
    guest = Guest(index)
    if not argv:
        return 0 if guest.is_ready() else 1

    def show(kind, payload):
        stream = sys.stdout if kind == STDOUT else sys.stderr
        stream.buffer.write(payload)
        stream.flush()

    try:
        command = guest.start(argv, show)
        while command.wait(0.5) is None:
            if command.has_ended:
                break
    except GuestGone as gone:
        print("kernel-peer: %s" % gone, file=sys.stderr)
        return 125
    except KeyboardInterrupt:
        command.stop()
        return 130
    if command.status is None:
        print("kernel-peer: lost peer %d while the command ran" % index, file=sys.stderr)
        return 125
    return command.status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(141)
