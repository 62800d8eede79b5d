"""The verbs agent of a kernel peer: executes verbs commands that arrive as text lines on a TCP connection.

README.md describes the lines. The agent of rxe-testkit executes the same ones on our NIC. The objects that a connection
created are destroyed when it ends.
"""

import argparse
import socket
import sys
import traceback

from verbs_session import VerbsSession


def parse(line):
    """'word key=value ...' becomes (word, {key: value})."""
    words = line.split()
    return words[0], dict(word.split("=", 1) for word in words[1:])


def execute(session, line):
    try:
        command, arguments = parse(line)
        handler = getattr(session, "do_" + command, None)
        if handler is None:
            return "error unknown command %s" % command
        result = handler(arguments)
        return " ".join(["ok"] + ["%s=%s" % item for item in (result or {}).items()])
    except KeyError as error:
        return "error no %s" % error
    except Exception as error:
        if type(error).__name__ not in ("PyverbsRDMAError", "PyverbsUserError", "PyverbsError", "ValueError"):
            traceback.print_exc()
        return "error %s: %s" % (type(error).__name__, " ".join(str(error).split()))


def serve(connection, device, gid_index):
    session = VerbsSession(device, gid_index)
    try:
        with connection, connection.makefile("r", encoding="ascii", newline="\n") as lines:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for line in lines:
                if line.strip():
                    connection.sendall(execute(session, line).encode("ascii", "replace") + b"\n")
    except OSError as error:
        print("the connection broke: %s" % error, file=sys.stderr)
    finally:
        session.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", type=int, required=True)
    parser.add_argument("-d", dest="device", default="rxe0")
    parser.add_argument("-g", dest="gid_index", type=int, default=1)
    arguments = parser.parse_args()
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("", arguments.listen))
        server.listen(4)
        while True:
            connection, _ = server.accept()
            serve(connection, arguments.device, arguments.gid_index)


if __name__ == "__main__":
    main()
