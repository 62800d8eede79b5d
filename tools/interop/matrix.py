"""The coverage of the suite as a table, derived from the names of the cases."""

import re

FAMILIES = (
    ("unchanged: test programs of UCX and libfabric", r"unchanged (ucx|fi)_"),
    ("unchanged: pingpongs, perftest, programs of rdmacm-utils", r"unchanged "),
    ("jNVMf, unchanged, against nvmet_rdma", r"(netem .*: )?nvme "),
    ("rc_pingpong", r"rc_pingpong "),
    ("uc_pingpong, ud_pingpong, srq_pingpong", r"(uc|ud|srq)_pingpong "),
    ("perftest: ib_{send,write,read}_{bw,lat}, RC, UC, UD", r"ib_\w+ "),
    ("rping", r"rping"),
    ("verbs: every operation, scatter/gather, mixed; keep-alive", r"verbs "),
    ("verbs: errors, by the rules of docs/rules.md", r"error "),
    ("windows, invalidation, registration", r"memory "),
    ("ATOMIC_WRITE, FLUSH", r"placement "),
    ("pingpongs over a faulty link", r"netem .*: \w+_pingpong"),
    ("perftest over a faulty link", r"netem .*: ib_"),
    ("rping over a faulty link", r"netem .*: rping"),
    ("verbs over a faulty link", r"netem .*: (verbs|WRITE|SEND|memory|placement)"),
)
ROLES = (
    ("host", r"nvme host"),
    ("server", r"\bserver (?!client)|server$"),
    ("client", r"\bclient\b(?! server)"),
    ("requester", r"ours to kernel|both ways|amplification"),
    ("responder", r"kernel to ours|both ways"),
)
IB_MTU = {1500: "1024", 4200: "4096"}


def _roles(name):
    name = name.replace("rdma_server, rdma_client", "rdma_cm_example")
    return [role for role, pattern in ROLES if re.search(pattern, name)]


def _ordered(values):
    return list(dict.fromkeys(values))


def table(cases):
    """Returns Markdown: a row for each family, and a sum. Raises ValueError for a case that belongs to no family."""
    lines = ["| family | cases | our role | IP | path MTU | faults |", "|---|---|---|---|---|---|"]
    left = list(cases)
    for family, pattern in FAMILIES:
        own = [case for case in left if re.match(pattern, case.name)]
        left = [case for case in left if case not in own]
        if own:
            roles = _ordered(role for case in own for role in _roles(case.name))
            versions = _ordered("IPv6" if re.search(r"\bv6\b", case.name) else "IPv4" for case in own)
            faults = _ordered(re.match(r"netem (.*?):", case.name).group(1) if case.name.startswith("netem") else "none" for case in own)
            lines.append("| %s | %d | %s | %s | %s | %s |" % (family, len(own), ", ".join(roles), ", ".join(versions),
                ", ".join(sorted({IB_MTU[case.interface_mtu] for case in own})), ", ".join(faults)))
    if left:
        raise ValueError("no family for '%s': add it to matrix.py" % left[0].name)
    lines.append("| all | %d | | | | |" % len(cases))
    return lines
