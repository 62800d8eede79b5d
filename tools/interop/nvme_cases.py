"""jNVMf, a Java NVMe-oF host on DiSNI, unchanged on our NIC, against the kernel's target nvmet_rdma.

NvmeCopy.java fills the target's RAM disk, reads it back and compares every byte; then the guest must find the same bytes on its disk.
"""

import os
import re
import time

import java_programs
from cases import Case, CaseFailed, CaseSkipped
from faults import netem
from peers import TOOLS, LocalCommand

INTERFACE_MTU = 1500
NAME = "nqn.2026-11.rxe:disk"
PORT = 4420
DISK_MIB = 64
BLOCKS = (4096, 65536)
# More would measure the acknowledgement timeout of rdma_cm, 2.15 s for each lost end of a message.
LOSS = "loss 0.1%"
# Of no progress. The run itself is short, but not on a busy machine: host and guest both poll.
STALL_SECONDS = 120
POLL_SECONDS = 0.2
OTHER_JDK = 25
CLASS_PATH = (java_programs.JNVMF, java_programs.DISNI, java_programs.SLF4J)

# brd's disk as namespace 1. Once it is there, it stays until the guest stops.
TARGET_SCRIPT = """set -e
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
cd /sys/kernel/config/nvmet
[ ! -e ports/1/subsystems/%(name)s ] || exit 0
mkdir -p subsystems/%(name)s/namespaces/1 ports/1
echo 1 >subsystems/%(name)s/attr_allow_any_host
echo /dev/ram0 >subsystems/%(name)s/namespaces/1/device_path
echo 1 >subsystems/%(name)s/namespaces/1/enable
echo rdma >ports/1/addr_trtype
echo ipv4 >ports/1/addr_adrfam
echo %(address)s >ports/1/addr_traddr
echo %(port)d >ports/1/addr_trsvcid
ln -s $PWD/subsystems/%(name)s ports/1/subsystems/"""

# Past the cache of the guest, which does not see what the target writes.
HASH_SCRIPT = "dd if=/dev/ram0 bs=1M iflag=direct status=none | sha256sum"


def copy(block_bytes, seed, jdk=None):
    """The action of one case; `seed` gives it other bytes than the case before. Without a JDK, tools/rxe chooses."""
    def run(world, log):
        if world.ours.is_kernel:
            raise CaseSkipped("a kernel stands in for our NIC, and jNVMf needs DiSNI")
        try:
            class_path = java_programs.class_path(CLASS_PATH)
        except java_programs.JarMissing as missing:
            raise CaseSkipped(str(missing)) from missing
        environment = []
        if jdk:
            folder = java_programs.jdk_folder(jdk)
            if not folder:
                raise CaseSkipped("no JDK %d in /usr/lib/jvm" % jdk)
            environment = ["env", "JAVA_HOME=" + folder]
        run_in_guest(world.kernel, TARGET_SCRIPT % {"name": NAME, "address": world.kernel.address(4), "port": PORT})
        # jnvmf.legacy: without it jNVMf sends commands without SGL flags, which this kernel refuses, with any adapter.
        host = LocalCommand(environment + [os.path.join(TOOLS, "rxe"), "run", "--disni", "--dev", world.ours.address(4), "-cp", class_path,
            "--", "-Djnvmf.legacy=true", os.path.join(TOOLS, "interop", "NvmeCopy.java"), world.kernel.address(4), str(PORT), NAME,
            str(DISK_MIB), str(block_bytes), str(seed)])
        try:
            status = wait_while_it_moves(host)
            if status is None:
                log.add("what jNVMf was doing", host.describe_stuck())
                log.add("what the guest was doing", world.kernel.describe_stuck(None))
        finally:
            host.stop()
            log.add("jNVMf", host.output)
        if status != 0:
            raise CaseFailed("jNVMf made no progress for %d s" % STALL_SECONDS if status is None else "jNVMf ended with status %d" % status)
        written = re.search(r"written, read and compared, SHA-256 (\w{64})", host.output)
        if not written:
            raise CaseFailed("jNVMf did not print what it wrote")
        on_disk = run_in_guest(world.kernel, HASH_SCRIPT).split()[0]
        if on_disk != written.group(1):
            raise CaseFailed("jNVMf wrote bytes with SHA-256 %s, the guest's disk has %s" % (written.group(1), on_disk))
        return re.search(r"^write .*$", host.output, re.MULTILINE).group()
    return run


def wait_while_it_moves(command):
    """Returns the exit status of a command that prints its progress, or None when it prints nothing for too long."""
    printed, deadline = 0, 0
    while command.status is None:
        now = len(command.output)
        if now != printed or not deadline:
            printed, deadline = now, time.monotonic() + STALL_SECONDS
        if time.monotonic() > deadline:
            return None
        command.wait(POLL_SECONDS)
    return command.status


def run_in_guest(peer, script):
    status, output = peer.guest.run(["sh", "-c", script])
    if status != 0:
        raise RuntimeError("the target in %s: status %s, %s" % (peer.name, status, output.strip()))
    return output


def fetch():
    """Makes Maven download what the cases need; what it cannot download skips them."""
    try:
        java_programs.class_path(CLASS_PATH, fetch=True)
    except java_programs.JarMissing as missing:
        print("kernel-peer: %s" % missing)


def cases():
    found = []
    for jdk in (None, OTHER_JDK):
        for block_bytes in BLOCKS:
            for fault in (None, LOSS):
                name = "nvme host v4 %d MiB blocks %d%s" % (DISK_MIB, block_bytes, " jdk%d" % jdk if jdk else "")
                found.append(Case("netem %s: %s" % (fault, name) if fault else name, INTERFACE_MTU,
                    copy(block_bytes, len(found) + 1, jdk), fault=fault and netem(fault), fetch=fetch))
    return found
