"""The test programs of UCX and libfabric on both sides: the kernel peer's over rdma_rxe, and this host's, unchanged, on our NIC."""

import re
import shutil

from cases import Case, CaseFailed, CaseSkipped
from pingpong_cases import check_status, last_line
from stock_cases import INTERFACE_MTU, ROLES, unchanged

PORT = 13337
START_SECONDS = 60
RUN_SECONDS = 60
ITERATIONS = 500
# fi_pingpong runs this often each of its sizes.
FI_ITERATIONS = 10

# Keeps UCP off other networks.
UCX = ["UCX_NET_DEVICES=rxe0:1"]
# By itself UCX takes the link-local GID of rdma_rxe, and it does not find the IPv4 address of datagrams in rdma_rxe's completions.
UCX_OF_KERNEL = ["UCX_IB_GID_INDEX=1", "UCX_UD_VERBS_ETH_DGID_CHECK=n"]

# Name of the case, variables of both sides, options of the client.
UCX_TESTS = (
    ("rc_verbs put_lat", [], "-d rxe0:1 -x rc_verbs -t put_lat"),
    ("rc_verbs get zcopy", [], "-d rxe0:1 -x rc_verbs -t get -D zcopy -s 8192"),
    ("rc_verbs cswap", [], "-d rxe0:1 -x rc_verbs -t cswap"),
    ("ud_verbs am_lat", [], "-d rxe0:1 -x ud_verbs -t am_lat"),
    ("UCP rc tag_lat", ["UCX_TLS=rc"], "-t tag_lat"),
    ("UCP rc tag_bw", ["UCX_TLS=rc"], "-t tag_bw -s 20000"),
    ("UCP ud tag_lat", ["UCX_TLS=ud"], "-t tag_lat -s 1000"),
)
# The index of the IPv4 GID, as for UCX.
FI = ["FI_VERBS_GID_IDX=1"]
# Name of the case, options of both sides, the last line that the client must print. verbs;ofi_rxm is not here: over rdma_rxe its
# fi_enable ends with EINVAL, also between two kernels.
FI_TESTS = (
    ("verbs msg", ["-p", "verbs", "-e", "msg", "-S", "65536"], r"^64k +%d +=%d" % (FI_ITERATIONS, FI_ITERATIONS)),
    ("verbs;ofi_rxd rdm", ["-p", "verbs;ofi_rxd", "-e", "rdm", "-S", "4096"], r"^4k +%d +=%d" % (FI_ITERATIONS, FI_ITERATIONS)),
    ("verbs dgram", ["-p", "verbs", "-e", "dgram", "-S", "1024"], r"^1k +%d +=%d" % (FI_ITERATIONS, FI_ITERATIONS)),
)


def pair(our_role, server_words, client_words, expected, of_kernel=()):
    """The action of a case: a server and a client, which must print `expected`. `of_kernel` are variables of the kernel peer's side."""
    def run(world, log):
        program = next(word for word in server_words if "=" not in word)
        if shutil.which(program) is None:
            raise CaseSkipped("%s is not installed" % program)
        server, client = (world.ours, world.kernel) if our_role == "server" else (world.kernel, world.ours)

        def start(peer, words):
            return peer.start_program(["env"] + (list(of_kernel) if peer.is_kernel else []) + words)
        server_run, client_run = start(server, server_words), None
        try:
            if not server.wait_listening(PORT, START_SECONDS, server_run):
                raise CaseFailed("the server (%s) did not listen: %s" % (server.name, last_line(server_run.output)))
            client_run = start(client, client_words + [server.address(4)])
            client_status = client_run.wait(RUN_SECONDS)
            server_status = server_run.wait(RUN_SECONDS if client_status == 0 else 2)
            for peer, command, status in ((client, client_run, client_status), (server, server_run, server_status)):
                if status is None:
                    log.add("what %s was doing" % peer.name, peer.describe_stuck(command))
            check_status("client", client, client_status, client_run)
            if not re.search(expected, client_run.output, re.MULTILINE):
                raise CaseFailed("the client (%s) did not print '%s'" % (client.name, expected))
            check_status("server", server, server_status, server_run)
        finally:
            for role, command in (("server", server_run), ("client", client_run)):
                if command:
                    command.stop()
                    log.add(role, command.output)
    return run


def cases():
    found = []

    def add(name, action):
        found.append(Case("unchanged " + name, INTERFACE_MTU, unchanged(action)))
    for role in ROLES:
        for name, variables, options in UCX_TESTS:
            words = UCX + variables + ["ucx_perftest", "-p", str(PORT)]
            add("ucx_perftest %s v4: %s" % (role, name), pair(role, words, words + options.split() + ["-n", str(ITERATIONS), "-w", "50"],
                r"^Final: +%d" % ITERATIONS, UCX_OF_KERNEL))
        for name, options, expected in FI_TESTS:
            words = FI + ["fi_pingpong", "-c"] + options
            add("fi_pingpong %s v4: %s" % (role, name), pair(role, words + ["-B", str(PORT)], words + ["-P", str(PORT)], expected))
    return found
