"""The transfer that runs beside the hostile traffic: two Java processes, and what their lines say."""

import bisect
import json
import os
import subprocess
import threading
import time

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RXE = os.path.join(HOME, "tools", "rxe")
TESTKIT = ["env", "RXE_MAIN=io.rxe.testkit.TestKit", RXE]
START_LIMIT_S = 60


class Process:
    """A command whose lines are collected as they arrive."""

    def __init__(self, words):
        self.lines = []
        self._condition = threading.Condition()
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        for stream, label in ((self._process.stdout, ""), (self._process.stderr, "stderr ")):
            threading.Thread(target=self._read, args=(stream, label), daemon=True).start()

    def _read(self, stream, label):
        for line in stream:
            with self._condition:
                self.lines.append(label + line.rstrip("\n"))
                self._condition.notify_all()

    def is_running(self):
        return self._process.poll() is None

    def say(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def having(self, word):
        """The words behind this one, of each line that begins with it."""
        return [line[len(word) + 1:].split(" ") for line in list(self.lines) if line.split(" ", 1)[0] == word]

    def await_line(self, word, limit_s=START_LIMIT_S):
        with self._condition:
            if not self._condition.wait_for(lambda: self.having(word) or self._process.poll() is not None, limit_s) \
                    or not self.having(word):
                raise RuntimeError("no line '%s' within %d s; it printed:\n%s" % (word, limit_s, "\n".join(
                    line for line in self.lines if not line.startswith("sample"))[-2000:]))
        return self.having(word)[-1]

    def end(self):
        try:
            self._process.stdin.close()
            self._process.wait(3)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()


class Transfer:
    """Server and client of one run."""

    def __init__(self, network, group, client_options=()):
        self._server = self._client = None
        try:
            self._server = Process(network.server.prefix() + TESTKIT + ["flood", "-d", network.server.address, "--group", group])
            self._server.await_line("listening")
            self._client = Process(network.client.prefix() + TESTKIT + ["flood", "-d", network.client.address,
                                                              network.server.address] + list(client_options))
            self.client_qpn, self.server_qpn = (int(word) for word in self._client.await_line("data"))
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        for process in (self._client, self._server):
            if process is not None:
                process.end()

    def payload(self, word):
        self._client.say("payload " + word)

    def rate(self, begin, end):
        """Gbit/s between two instants of time.monotonic(), of bytes that had arrived whole and right."""
        samples = [(int(words[0]) / 1e9, int(words[1])) for words in self._server.having("sample")]
        return (bytes_at(samples, end) - bytes_at(samples, begin)) * 8 / (end - begin) / 1e9

    def greeted(self, begin):
        """When the first greeting came of the connections begun after an instant, or None."""
        connects = [(int(words[0]) / 1e9, words) for words in self._client.having("connect")]
        return min((begun + int(words[2]) / 1e6 for begun, words in connects if begun >= begin and words[1] == "ok"), default=None)

    def failures(self):
        """What must never happen, whatever arrives."""
        lost = self._client.having("lost")
        found = ["transfer lost %d times, first with %s" % (len(lost), lost[0][0])] if lost else []
        if self._server.having("wrong"):
            found.append("%d messages with wrong bytes" % len(self._server.having("wrong")))
        found += ["group: " + words[0] for words in self._server.having("group-failed")[:1]]
        found += [line[7:] for line in self._server.lines + self._client.lines if line.startswith("stderr ") and "xception" in line][:1]
        return found

    def counters(self):
        """Of both sides, by name: what was dropped and why."""
        counts = {}
        answered = len(self._server.having("cm-end"))
        self._server.say("counters")
        stat = subprocess.run([RXE, "stat", "--json", "-", "--all", "-i", "0"], capture_output=True, text=True)
        for process in json.loads(stat.stdout or "[]"):
            side = {self._server.pid: "server", self._client.pid: "client"}.get(process["pid"])
            for device in process["devices"] if side else ():
                for name, value in device["counters"].items():
                    counts[side, name] = counts.get((side, name), 0) + value
        end = time.monotonic() + 2
        while len(self._server.having("cm-end")) == answered and time.monotonic() < end:
            time.sleep(0.01)
        for name, value in self._server.having("cm"):
            counts["server", "cm_" + name] = int(value)
        return counts


def bytes_at(samples, instant):
    """Interpolated between the samples before and behind."""
    index = bisect.bisect_left(samples, (instant, 0))
    if index == 0 or index == len(samples):
        return samples[min(index, len(samples) - 1)][1] if samples else 0
    (time_a, bytes_a), (time_b, bytes_b) = samples[index - 1], samples[index]
    return bytes_a + (bytes_b - bytes_a) * (instant - time_a) / (time_b - time_a)
