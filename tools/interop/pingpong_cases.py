"""ibv_rc_pingpong of the kernel peer against ours, with our NIC as server and as client."""

import re

from cases import Case, CaseFailed, Recovered
from peers import recovery_since

PORT = 18515
SIZES = (1, 1024, 4096, 5000, 65536, 1048576)
# Short on purpose: kernel 6.1 starts its acknowledgement timer (67 ms) with a packet and does not stop it with the
# acknowledgement, so in a longer run it expires while a later packet is in flight and retransmits for no reason. In a run
# that ends before that, every counter that increases is a finding. When a busy machine makes even the short runs long in
# every try, the case accepts what that timer explains, and prints it.
ITERATIONS = {1: 10, 1024: 10, 4096: 10, 5000: 10, 65536: 5, 1048576: 2}
LONG_SIZE, LONG_ITERATIONS = 4096, 300
STALE_TIMER_NS = 64_000_000
START_SECONDS = 60
RUN_SECONDS = 30


def pingpong(tool, our_role, family, ib_mtu, size, iterations, options=()):
    """The action of one pingpong case; `our_role` is server or client, `options` go to both sides."""
    def run(world, log):
        before = world.kernel.counters()
        client_run, server_run = run_both(world, log, tool, our_role, family,
                                          ["-s", str(size), "-n", str(iterations), "-m", str(ib_mtu), "-c", *options])
        check_data(client_run, server_run, size * iterations * 2)
        after = world.kernel.counters()
        log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, after))
        recovered = recovery_since(before, after)
        run_ns = elapsed_ns(client_run.output)
        forgiven = forgive_timers(before, after, iterations, iterations * -(-size // ib_mtu), run_ns)
        if world.ours.is_kernel and run_ns > STALE_TIMER_NS:
            forgiven["duplicate_request"] = after["duplicate_request"]
        unexplained = recovery_since(forgiven, after)
        if unexplained or (recovered and iterations != LONG_ITERATIONS):
            raise Recovered("packets were retransmitted: " + ", ".join(recovered), is_explained=not unexplained)
    return run


def run_both(world, log, tool, our_role, family, arguments, server_address=None, server_seconds=RUN_SECONDS, is_managed=False):
    """Runs a program to its end on both sides; both must exit with status 0. Returns (client's command, server's command).

    The server may run `server_seconds` longer than the client. With is_managed it listens with rdma_cm.
    """
    server, client = (world.ours, world.kernel) if our_role == "server" else (world.kernel, world.ours)
    arguments = ["-p", str(PORT)] + arguments
    server_run = server.start_tool(tool, family, arguments)
    client_run = None
    try:
        wait = server.wait_service if is_managed else server.wait_listening
        if not wait(PORT, START_SECONDS, server_run):
            raise CaseFailed("the server (%s) did not listen: %s" % (server.name, last_line(server_run.output)))
        # The side channel always uses IPv4: ibv_rc_pingpong chooses what it listens on.
        client_run = client.start_tool(tool, family, arguments + [server_address or server.address(4)])
        client_status = client_run.wait(RUN_SECONDS)
        server_status = server_run.wait(server_seconds if client_status == 0 else 2)
        for peer, command, status in ((client, client_run, client_status), (server, server_run, server_status)):
            if status is None:
                log.add("what %s was doing" % peer.name, peer.describe_stuck(command))
    finally:
        server_run.stop()
        log.add("server, %s" % server.name, server_run.output)
        if client_run:
            client_run.stop()
            log.add("client, %s" % client.name, client_run.output)
    check_status("client", client, client_status, client_run)
    check_status("server", server, server_status, server_run)
    return client_run, server_run


def forgive_timers(before, after, iterations, packets, run_ns):
    """Returns the counters to compare with: retransmissions that timers explain are subtracted.

    The kernel's stale timer retransmits at most once in 64 ms. Our NIC probes a stalled guest before its timeout; that
    may cause one duplicate for every ten messages of a long run, or one for every fifty packets.
    """
    forgiven = dict(before)
    if after["completer_retry_err"] - before["completer_retry_err"] <= run_ns // STALE_TIMER_NS:
        forgiven["completer_retry_err"] = after["completer_retry_err"]
    allowed = max(packets // 50, iterations // 10 if iterations == LONG_ITERATIONS else 0)
    if after["duplicate_request"] - before["duplicate_request"] <= allowed:
        forgiven["duplicate_request"] = after["duplicate_request"]
    return forgiven


def elapsed_ns(output):
    """From the closing line '... iters in 0.18 seconds = ...'."""
    found = re.search(r"iters in ([0-9.]+) seconds", output)
    return int(float(found.group(1)) * 1e9) if found else 0


def check_status(role, peer, status, command):
    if status is None:
        raise CaseFailed("the %s (%s) did not end: %s" % (role, peer.name, last_line(command.output)))
    if status != 0:
        raise CaseFailed("the %s (%s) ended with status %d: %s" % (role, peer.name, status, last_line(command.output)))


def check_data(client_run, server_run, total_bytes):
    """Both sides must report the bytes moved; the server of a -c run prints the pages that differ."""
    wanted = "%d bytes in" % total_bytes
    for role, command in (("client", client_run), ("server", server_run)):
        if wanted not in command.output:
            raise CaseFailed("the %s did not report '%s': %s" % (role, wanted, last_line(command.output)))
        if "invalid data" in command.output:
            raise CaseFailed("the %s received wrong data: %s" % (role, last_line(command.output)))


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"


def cases():
    found = []
    for interface_mtu, ib_mtu in ((1500, 1024), (4200, 4096)):
        for role in ("server", "client"):
            for family in (4, 6):
                name = "rc_pingpong %s v%d mtu%d" % (role, family, ib_mtu)
                for size in SIZES:
                    found.append(Case("%s size %d" % (name, size), interface_mtu,
                                      pingpong("rc_pingpong", role, family, ib_mtu, size, ITERATIONS[size])))
                found.append(Case("%s %d iterations" % (name, LONG_ITERATIONS), interface_mtu,
                                  pingpong("rc_pingpong", role, family, ib_mtu, LONG_SIZE, LONG_ITERATIONS)))
    return found
