#!/bin/sh
# Second stage of a kernel peer's boot: a private /tmp over the host's file system, the network, the rxe device, then the
# command server. eth0 carries RoCE, and faults are applied to it; eth1 carries commands.
export HOME=/tmp PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Hides home directories and the host's runtime state.
for place in /tmp /run /var/tmp /root /home /mnt; do
  mkdir -p "$place"
  mount -t tmpfs tmpfs "$place"
done
mkdir -p /dev/shm /dev/pts /tmp/work
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts

index=$(sed -n 's/.*peer\.index=\([0-9]*\).*/\1/p' /proc/cmdline)
hostname "kernel-peer-$index"

# The programs of another release of Debian, for kernels whose verbs the host's programs do not know.
mkdir -p /programs
if mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=524288,cache=loose programs /programs 2>/dev/null; then
  for place in proc sys dev tmp peer; do
    mount --rbind "/$place" "/programs/$place"
  done
fi

sysctl -q -w net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.all.accept_ra=0
ip link set lo up
ip link set eth0 up
ip address add "10.99.0.$((index + 1))/24" dev eth0
ip -6 address add "fd99::$((index + 1))/64" dev eth0 nodad
ip address add "10.98.0.$((index + 1))/24" dev eth1
ip link set eth1 up
rdma link add rxe0 type rxe netdev eth0 || echo "kernel peer: rdma link add failed"

/usr/bin/python3 -B -S /peer/execd.py "10.98.0.$((index + 1))"
echo "kernel peer: the command server ended with status $?"
poweroff -f
