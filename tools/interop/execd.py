"""The command server of a kernel peer. It runs as root inside the guest, on the control network only.

A client connects, sends one JSON line and receives frames: one byte for the kind, four bytes of big-endian
length, then the payload. When the client closes the connection, the command it started is killed.
"""

import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading

from guest import EXIT, PORT, REPLY, STDERR, STDOUT, is_listening

COUNTERS = "/sys/class/infiniband/rxe0/ports/1/hw_counters"


def send_frame(connection, kind, payload):
    connection.sendall(kind + struct.pack(">I", len(payload)) + payload)


def read_counters():
    counters = {}
    for name in os.listdir(COUNTERS):
        if name == "lifespan":
            continue
        with open(os.path.join(COUNTERS, name), encoding="ascii") as file:
            counters[name] = int(file.read())
    return counters


def send_reply(connection, value):
    send_frame(connection, REPLY, json.dumps(value).encode())


def run_command(connection, argv):
    try:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True, cwd="/tmp/work")
    except OSError as error:
        send_frame(connection, STDERR, ("%s: %s\n" % (argv[0], error.strerror)).encode())
        send_frame(connection, EXIT, b"127")
        return
    try:
        forward_output(connection, child)
        status = child.wait()
        send_frame(connection, EXIT, str(status if status >= 0 else 128 - status).encode())
    finally:
        # Kills whatever the command left running in its session.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


def forward_output(connection, child):
    """Forwards the output of the command until it has closed both streams or the client has closed the connection."""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ, STDOUT)
        selector.register(child.stderr, selectors.EVENT_READ, STDERR)
        selector.register(connection, selectors.EVENT_READ, None)
        open_streams = 2
        while open_streams:
            for key, _ in selector.select(0.2):
                chunk = os.read(key.fd, 65536)
                if key.data is None:
                    if not chunk:
                        raise ConnectionResetError("the client closed the connection")
                elif chunk:
                    send_frame(connection, key.data, chunk)
                else:
                    selector.unregister(key.fileobj)
                    open_streams -= 1
            if child.poll() is not None and not selector.select(0):
                # The command has ended; a daemon it started may hold the streams open forever.
                return


def serve(connection):
    with connection:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A client sends this line and nothing else.
            with connection.makefile("rb") as lines:
                line = lines.readline()
            if not line:
                return
            request = json.loads(line)
            if "run" in request:
                run_command(connection, request["run"])
            elif "counters" in request:
                send_reply(connection, read_counters())
            elif "listening" in request:
                send_reply(connection, is_listening(request["listening"]))
            else:
                send_reply(connection, "ready")
        except OSError:
            pass


def main():
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((sys.argv[1], PORT))
        server.listen(16)
        while True:
            connection, _ = server.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
