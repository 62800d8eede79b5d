"""Sends frames at a fixed rate, in a process of its own."""

import multiprocessing
import time

STEP_S = 0.0005
# A sender that was not scheduled for longer leaves out what it is late with, instead of sending it at once.
LATEST_S = 0.02
CONTEXT = multiprocessing.get_context("fork")


class Sender:
    """Sends until stopped. The frames repeat when there are fewer than are sent."""

    def __init__(self, host, frames, rate):
        self._stop = CONTEXT.Event()
        self._sent, self._bytes = CONTEXT.Value("q", 0), CONTEXT.Value("q", 0)
        self._raw = host.packet_socket()
        self._process = CONTEXT.Process(target=self._send, args=(frames, rate), daemon=True)
        self._process.start()

    def _send(self, frames, rate):
        sent = number = byte_count = 0
        last = time.monotonic()
        while not self._stop.is_set():
            now = time.monotonic()
            if now - last > LATEST_S:
                last = now - LATEST_S
            due = int((now - last) * rate)
            last += due / rate
            for _ in range(due):
                frame = frames[number % len(frames)]
                number += 1
                try:
                    self._raw.send(frame)
                except OSError:
                    continue
                sent += 1
                byte_count += len(frame)
            self._sent.value, self._bytes.value = sent, byte_count
            time.sleep(STEP_S)

    def stop(self):
        """Packets and bytes sent."""
        self._stop.set()
        self._process.join(2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._raw.close()
        return self._sent.value, self._bytes.value
