"""The transfer that runs beside the hostile traffic: two Java processes, and what their lines say."""

import bisect
import contextlib
import json
import re
import subprocess

from kinds import GROUP
from program import RXE, Program

START_LIMIT_S = 60


class Transfer:
    def __init__(self, server, client):
        self._server, self._client = server, client
        self.client_qpn, self.server_qpn = (int(word) for word in client.wait_for(lambda: client.lines("data"), START_LIMIT_S)[0])

    def payload(self, word):
        self._client.say("payload " + word)

    def rate(self, begin, end):
        """Gbit/s between two instants of time.monotonic(), of bytes that had arrived whole and right."""
        samples = [(int(time_ns) / 1e9, int(count)) for time_ns, count in self._server.lines("sample")]
        return (bytes_at(samples, end) - bytes_at(samples, begin)) * 8 / (end - begin) / 1e9

    def greeted(self, begin):
        """When the first greeting came of the connections begun after an instant, or None."""
        connects = ((int(words[0]) / 1e9, words) for words in self._client.lines("connect"))
        return min((begun + int(words[2]) / 1e6 for begun, words in connects if begun >= begin and words[1] == "ok"), default=None)

    def failures(self):
        """What must never happen, whatever arrives."""
        said = self._server.output + self._client.output
        return [found[0] for found in (re.findall(pattern, said, re.MULTILINE) for pattern in (
            "^lost .*", "^wrong .*", "^group-failed .*", "^(?!connect|lost).*xception.*")) if found]

    def counters(self):
        """Of both sides, by name: what was dropped and why."""
        counts = {}
        answered = len(self._server.lines("cm-end"))
        self._server.say("counters")
        stat = subprocess.run([RXE, "stat", "--json", "-", "--all", "-i", "0"], capture_output=True, text=True, check=False)
        for process in json.loads(stat.stdout or "[]"):
            side = {self._server.pid: "server", self._client.pid: "client"}.get(process["pid"])
            for device in process["devices"] if side else ():
                for name, value in device["counters"].items():
                    counts[side, name] = counts.get((side, name), 0) + value
        self._server.wait_for(lambda: len(self._server.lines("cm-end")) > answered, START_LIMIT_S)
        counts.update((("server", "cm_" + name), int(value)) for name, value in self._server.lines("cm"))
        return counts


@contextlib.contextmanager
def running_transfer(network, *client_options):
    flood = ["env", "RXE_MAIN=io.rxe.testkit.TestKit", RXE, "flood", "-d"]
    with Program(network.server.inside(*flood, network.server.address, "--group", GROUP)) as server:
        server.wait_for(lambda: server.lines("listening"), START_LIMIT_S)
        with Program(network.client.inside(*flood, network.client.address, network.server.address, *client_options)) as client:
            yield Transfer(server, client)


def bytes_at(samples, instant):
    index = bisect.bisect_left(samples, (instant, 0))
    if index == 0 or index == len(samples):
        return samples[min(index, len(samples) - 1)][1] if samples else 0
    (time_a, bytes_a), (time_b, bytes_b) = samples[index - 1], samples[index]
    return bytes_a + (bytes_b - bytes_a) * (instant - time_a) / (time_b - time_a)
