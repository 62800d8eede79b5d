"""Sends frames at a fixed rate, in a process of its own."""

import contextlib
import itertools
import multiprocessing
import time

STEP_S = 0.0005
# A sender that was not scheduled for longer leaves out what it is late with, instead of sending it at once.
LATEST_S = 0.02
CONTEXT = multiprocessing.get_context("fork")


@contextlib.contextmanager
def sending(host, frames, rate):
    """Sends until the end of the with statement; then the two numbers hold packets and bytes. The frames repeat when they are too few."""
    stop, sent = CONTEXT.Event(), CONTEXT.Array("q", 2, lock=False)
    with host.packet_socket() as raw:
        process = CONTEXT.Process(target=send, args=(raw, frames, rate, stop, sent), daemon=True)
        process.start()
        try:
            yield sent
        finally:
            stop.set()
            process.join(2)
            process.kill()
            process.join()


def send(raw, frames, rate, stop, sent):
    endless, last = itertools.cycle(frames), time.monotonic()
    while not stop.is_set():
        now = time.monotonic()
        last = max(last, now - LATEST_S)
        due = int((now - last) * rate)
        last += due / rate
        for frame in itertools.islice(endless, due):
            with contextlib.suppress(OSError):
                raw.send(frame)
                sent[0] += 1
                sent[1] += len(frame)
        time.sleep(STEP_S)
