"""The client side of a connection to a verbs agent."""

import socket

from cases import CaseFailed
from guest import GuestGone


class AgentError(CaseFailed):
    """The agent refused a command; the text is its reason."""


class Completion:
    """One work completion; `immediate` is None without immediate data."""

    def __init__(self, text):
        words = text.split(":")
        self.id = int(words[0])
        self.status = words[1]
        self.opcode = words[2]
        self.length = int(words[3])
        self.immediate = None if words[4] == "-" else int(words[4], 0)
        self.qpn = int(words[5])

    def __repr__(self):
        return "%s %s wr_id %d, %d bytes" % (self.opcode, self.status, self.id, self.length)


class Memory:
    """A memory region of an agent."""

    def __init__(self, agent, name, length, values):
        self._agent = agent
        self.name = name
        self.length = length
        self.address = int(values["addr"], 0)
        self.lkey = int(values["lkey"], 0)
        self.rkey = int(values["rkey"], 0)

    def element(self, offset=0, length=None):
        """A scatter/gather element in the agent's notation."""
        return "%s:%d:%d" % (self.name, offset, self.length - offset if length is None else length)

    def fill(self, seed, offset=0, length=None):
        self._agent.execute("fill", name=self.name, seed=seed, offset=offset,
                        length=self.length - offset if length is None else length)

    def write(self, data, offset=0):
        self._agent.execute("write", name=self.name, offset=offset, data=data.hex())

    def read(self, offset, length):
        return bytes.fromhex(self._agent.execute("read", name=self.name, offset=offset, length=length)["data"])

    def hash(self, offset=0, length=None):
        return self._agent.execute("hash", name=self.name, offset=offset,
                               length=self.length - offset if length is None else length)["sha256"]


class AgentProcess:
    """A running verbs agent. It serves one connection at a time."""

    def __init__(self, peer, family, port, timeout_seconds=60):
        self.peer = peer
        self.port = port
        self.command = peer.start_agent(family, port)
        if not peer.wait_server(port, timeout_seconds, self.command, False):
            self.command.stop()
            raise CaseFailed("the agent of %s did not start: %s" % (peer.name, self.command.output[-500:].strip()))

    def close(self):
        self.command.stop()


class Agent:
    """One connection to a verbs agent. Objects that it created live as long as it does."""

    def __init__(self, process):
        self.peer = process.peer
        self.transcript = []
        self._process = process
        self._names = 0
        self._unread = 0
        try:
            self._socket = socket.create_connection((self.peer.control_address, process.port), 30)
        except OSError as error:
            raise self._lost(error) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self._socket.makefile("r", encoding="ascii", newline="\n")
        opened = self.execute("open")
        self.gid = opened["gid"]
        self.mtu = int(opened["mtu"])

    def close(self):
        self._reader.close()
        self._socket.close()

    def process_output(self):
        return self._process.command.output

    def name(self, kind):
        """A name that this connection has not used yet."""
        self._names += 1
        return "%s%d" % (kind, self._names)

    def submit(self, word, **values):
        """Sends a command whose reply the next execute() or collect() reads and checks: saves a round trip."""
        line = " ".join([word] + ["%s=%s" % item for item in values.items()])
        self.transcript.append("> " + line[:400])
        try:
            self._socket.sendall(line.encode() + b"\n")
        except OSError as error:
            raise self._lost(error) from error
        self._unread += 1

    def execute(self, word, **values):
        """Sends a command and returns the values of its reply."""
        self.submit(word, **values)
        return self.collect()

    def collect(self):
        """Reads all outstanding replies and returns the values of the last one."""
        values, refusal = {}, None
        while self._unread:
            try:
                line = self._reader.readline()
            except OSError as error:
                raise self._lost(error) from error
            if not line:
                raise self._lost()
            self._unread -= 1
            self.transcript.append("< " + line.rstrip("\n")[:400])
            word, _, rest = line.rstrip("\n").partition(" ")
            if word != "ok":
                refusal = refusal or rest
            else:
                values = dict(item.split("=", 1) for item in rest.split())
        if refusal is not None:
            raise AgentError("%s refused: %s" % (self.peer.name, refusal))
        return values

    def _lost(self, error="it closed the connection"):
        text = "lost the agent of %s: %s; %s" % (self.peer.name, error, self._process.command.output[-500:].strip())
        return GuestGone(text) if self.peer.is_kernel else CaseFailed(text)

    def memory(self, length, access="local_write,remote_write,remote_read,remote_atomic", seed=None, **more):
        name = self.name("mr")
        if seed is not None:
            more["seed"] = seed
        return Memory(self, name, length, self.execute("mr", name=name, length=length, access=access, **more))

    def poll(self, cq, count, timeout_seconds=20):
        """Returns exactly `count` completions, or fails the case."""
        self._socket.settimeout(timeout_seconds + 30)
        reply = self.execute("poll", name=cq, count=count, timeout_ms=int(timeout_seconds * 1000))
        found = [Completion(reply["wc%d" % index]) for index in range(int(reply["n"]))]
        if len(found) != count:
            raise CaseFailed("%s completed %d of %d requests in %d s: %s"
                             % (self.peer.name, len(found), count, timeout_seconds, found))
        return found

    def counters(self):
        return {name: int(value) for name, value in self.execute("counters").items()}
