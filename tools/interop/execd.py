"""The command server of a kernel peer. It runs as root inside the guest, on the control network only.

A client connects and sends the words of a command as one line of JSON. It receives what the command prints, a zero byte, and the exit
status. When the client closes the connection, the command is killed. A string in place of the words has patterns of paths: the client
receives these files.
"""

import glob
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading

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


def serve(connection):
    try:
        with connection, connection.makefile("rb") as lines:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if line := lines.readline():
                request = json.loads(line)
                status = send_files(connection, request) if isinstance(request, str) else run_command(connection, request)
                connection.sendall(b"\0%d" % status)
                # A daemon that the command left behind may have the connection open.
                connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def main():
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((sys.argv[1], PORT))
        server.listen(16)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    main()
