"""jNVMf, a Java NVMe-oF host on DiSNI, unchanged on our NIC, against the kernel's target nvmet_rdma.

NvmeCopy.java fills the target's RAM disk, reads it back and compares every byte; then the guest must find the same bytes on its disk.
"""

import contextlib
import glob
import os
import re
import subprocess
import sys

from cases import Case, CaseFailed, CaseSkipped, bound
from peers import RXE, TOOLS, Program

INTERFACE_MTU = 1500
NAME = "nqn.2026-11.rxe:disk"
PORT = 4420
DISK_MIB = 64
BLOCKS = (4096, 65536)
# More would measure the acknowledgement timeout of rdma_cm, 2.15 s for each lost end of a message.
LOSS = "loss 0.1%"
# A run takes seconds, but not on a busy machine: host and guest both poll.
COPY_SECONDS = 600
OTHER_JDK = 25
# Jars of Maven Central: UnmodifiedProgramsTest checks the bytes of the first two. Maven copies them: only it knows where they are.
JARS = (("com.ibm.jnvmf", "jnvmf", "1.6"), ("com.ibm.disni", "disni", "2.1"), ("org.slf4j", "slf4j-api", "1.7.12"))
JAR_FOLDER = os.path.join(os.path.dirname(TOOLS), "target", "disni-jars")
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy"
FETCH_SECONDS = 120

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


def copy(world, log, block_bytes, seed, jdk=None):
    """The action of one case; `seed` gives it other bytes than the case before. Without a JDK, tools/rxe chooses."""
    for jar in JARS:
        if not os.path.exists(jar_path(jar)):
            raise CaseSkipped("Maven did not copy %s: see mvn -N %s -Dartifact=%s:%s:%s:jar" % (jar_path(jar), COPY, *jar))
    environment = ["env", "JAVA_HOME=" + jdk_folder(jdk)] if jdk else []
    world.kernel.guest.run_script(TARGET_SCRIPT % {"name": NAME, "address": world.kernel.address(4), "port": PORT})
    # jnvmf.legacy: without it jNVMf sends commands without SGL flags, which this kernel refuses, with any adapter.
    with Program(environment + [RXE, "run", "-v", "--disni", "--dev", world.ours.address(4), "-cp", ":".join(map(jar_path, JARS)),
        "--", "-Djnvmf.legacy=true", os.path.join(TOOLS, "interop", "NvmeCopy.java"), world.kernel.address(4), str(PORT), NAME,
        str(DISK_MIB), str(block_bytes), str(seed)]) as host:
        status = host.wait(COPY_SECONDS)
        if status is None:
            log.add("what jNVMf was doing", world.ours.describe_stuck(host))
            log.add("what the guest was doing", world.kernel.describe_stuck(None))
        log.add("jNVMf", output := host.output)
    if status != 0:
        raise CaseFailed("jNVMf did not end in %d s" % COPY_SECONDS if status is None else "jNVMf ended with status %d" % status)
    written = re.search(r"written, read and compared, SHA-256 (\w{64})", output)
    if not written:
        raise CaseFailed("jNVMf did not print what it wrote")
    on_disk = world.kernel.guest.run_script(HASH_SCRIPT).split()[0]
    if on_disk != written.group(1):
        raise CaseFailed("jNVMf wrote bytes with SHA-256 %s, the guest's disk has %s" % (written.group(1), on_disk))
    return re.search(r"^write .*$", output, re.MULTILINE).group()


def jar_path(jar):
    return os.path.join(JAR_FOLDER, "%s-%s.jar" % jar[1:])


def fetch():
    """Makes Maven download what the cases need; what it cannot download skips them."""
    for jar in JARS:
        if not os.path.exists(jar_path(jar)):
            # In the checkout, whose .mvn may name a repository.
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(["mvn", "-B", "-q", "-N", COPY, "-Dartifact=%s:%s:%s:jar" % jar, "-DoutputDirectory=" + JAR_FOLDER],
                               cwd=os.path.dirname(TOOLS), stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=FETCH_SECONDS, check=False)


def jdk_folder(major):
    for release in sorted(glob.glob("/usr/lib/jvm/*/release")):
        with open(release, encoding="utf-8") as file:
            if re.search(r'^JAVA_VERSION="%d\b' % major, file.read(), re.MULTILINE):
                return os.path.dirname(release)
    raise CaseSkipped("no JDK %d in /usr/lib/jvm" % major)


def cases():
    found = []
    for jdk in (None, OTHER_JDK):
        for block_bytes in BLOCKS:
            for fault in (None, LOSS):
                name = "nvme host v4 %d MiB blocks %d%s" % (DISK_MIB, block_bytes, " jdk%d" % jdk if jdk else "")
                found.append(Case("netem %s: %s" % (fault, name) if fault else name, INTERFACE_MTU,
                    bound(copy, block_bytes, len(found) + 1, jdk), fault=fault, fetch=fetch))
    return found
