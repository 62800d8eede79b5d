# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by .ci/run and .ci/nightly, which are in the checkout then: what both need of the machine.

# It finds the script by $0, which may be relative to where the script was started.
. "$(dirname "$(readlink -f "$0")")/../tools/common.sh"
cd "$(dirname "$script")/.."
export CI=true
exec </dev/null
started=$SECONDS

say() {
  echo "$program: $* ($((SECONDS - started)) s)" >&2
}

# The first JDK of a major version, or nothing.
jdk() {
  local folder
  for folder in $(javas javac); do
    [ "$(java_major "$folder")" != "$1" ] || echo "$folder"
  done
}

# What every run needs. Sets java17 and java25 to the folders of the JDKs, java25 to nothing when there is none.
prepare_java() {
  [ -n "$(jdk 17)" ] || need openjdk-17-jdk-headless
  command -v mvn >/dev/null || need maven
  java17=$(jdk 17)
  java25=$(jdk 25)
}

# What some tests are skipped without: those that open captures with tshark or pages with Chromium, run C programs, check the model.
prepare_programs() {
  [ "$(id -u)" = 0 ] || { say "not root: the tests of missing packages are skipped"; return; }
  for packages in tshark 'gcc libc6-dev libibverbs-dev librdmacm-dev ibverbs-utils perftest rdmacm-utils iproute2' 'python3-pyverbs rdma-core' \
    libfabric-bin ucx-utils chromium 'fio qperf iperf iperf3 netpipe-tcp' 'openmpi-bin libopenmpi-dev hpcc netpipe-openmpi python3-mpi4py' spin \
    'mpich libmpich-dev' openssh-server 'ceph-mon ceph-osd' 'tgt qemu-utils qemu-block-extra qemu-system-x86' 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross' musl-tools 'lammps lammps-examples' 'redis-server nginx-light memcached libmemcached-tools apache2-utils curl'; do
    # shellcheck disable=SC2086 # several packages
    (need $packages) || say "cannot install $packages: their tests are skipped"
  done
}
