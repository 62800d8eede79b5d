"""The command server of a kernel peer. It runs as root inside the guest, on the control network only.

A client connects and sends the words of a command as one line of JSON. It receives what the command prints, a zero byte, and the exit
status. When the client closes the connection, the command is killed. A string in place of the words has patterns of paths: the client
receives these files.
"""

import contextlib
import glob
import json
import os
import select
import signal
import socketserver
import subprocess
import sys

from guest import PORT


def run_command(connection, argv):
    """Returns the exit status, as a shell has it."""
    try:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=connection, stderr=subprocess.STDOUT, start_new_session=True,
                                 cwd="/tmp/work")
    except OSError as error:
        connection.sendall(("%s: %s\n" % (argv[0], error.strerror)).encode())
        return 127
    # The client sends nothing more: its side is readable when it has closed the connection.
    end = os.pidfd_open(child.pid)
    select.select([end, connection], [], [])
    os.close(end)
    # Before the child is awaited, so that the number is still its own: kills whatever runs in its session.
    os.killpg(child.pid, signal.SIGKILL)
    status = child.wait()
    return status if status >= 0 else 128 - status


def send_files(connection, patterns):
    for path in (path for pattern in patterns.split() for path in glob.glob(pattern)):
        with open(path, "rb") as file:
            connection.sendall(path.encode() + b":" + file.read())
    return 0


class Connection(socketserver.StreamRequestHandler):
    # Its server shuts it down at the end: a daemon that the command left behind may have it open.
    disable_nagle_algorithm = True

    def handle(self):
        with contextlib.suppress(OSError):
            if line := self.rfile.readline():
                request = json.loads(line)
                status = (send_files if isinstance(request, str) else run_command)(self.connection, request)
                self.connection.sendall(b"\0%d" % status)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 16


if __name__ == "__main__":
    with Server((sys.argv[1], PORT), Connection) as server:
        server.serve_forever()
