# shellcheck shell=bash disable=SC2154
# Sourced by tools/kernel-peer, which sets the variables that are not set here.
#
# The guests, and the network namespace that they and our NIC share:
#
#   br0   10.99.0.1/24 fd99::1/64   RoCE, one tap per guest; our NIC binds here
#   ctl0  10.98.0.1/24              commands and side channels; no faults are applied here

make_network() {
  [ -e "/run/netns/$namespace" ] || ip netns add "$namespace" ||
    die "cannot create the network namespace $namespace: this needs CAP_SYS_ADMIN and /run/netns"
  in_namespace sysctl -q -w net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.default.accept_dad=0 \
    net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_ra=0 ||
    say "cannot change the IPv6 settings of the namespace"
  in_namespace ip link set lo up
  make_bridge br0 10.99.0.1/24
  in_namespace ip -6 address replace fd99::1/64 dev br0 nodad
  make_bridge ctl0 10.98.0.1/24
}

make_bridge() {
  in_namespace ip link show "$1" >/dev/null 2>&1 ||
    in_namespace ip link add "$1" type bridge stp_state 0 forward_delay 0 mcast_snooping 0 ||
    die "cannot create a bridge: the kernel of this host needs CONFIG_BRIDGE"
  in_namespace ip address replace "$2" dev "$1"
  in_namespace ip link set "$1" up
}

make_tap() {
  [ -c /dev/net/tun ] || die "no /dev/net/tun: load the tun module, or pass the device to this container"
  in_namespace ip link show "$1" >/dev/null 2>&1 || in_namespace ip tuntap add "$1" mode tap
  # Queues the bursts that an emulated guest receives slowly: this network must lose nothing by itself.
  in_namespace ip link set "$1" master "$2" txqueuelen 20000 up
}

# The initramfs is small, rebuilt each time, and uncompressed: emulated CPUs unpack slowly.
make_initramfs() {
  local tree=$state/initramfs
  rm -rf "$tree"
  install -D "$(programs_of "$1")/bin/busybox" "$tree/bin/busybox"
  install "$parts/initramfs-init.sh" "$tree/init"
  cp -r "$(folder_of "$1")/kernel/modules" "$tree/modules"
  (cd "$tree" && find . | cpio --quiet -o -H newc) >"$tree.$1"
  rm -rf "$tree"
}

guest_pid() {
  local pid
  pid=$(cat "$state/guest$1.pid" 2>/dev/null) || return 1
  # The pid may belong to another process by now.
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "$state/guest$1.log" && echo "$pid"
}

running_guests() {
  local index
  for index in "${!RELEASE[@]}"; do
    ! guest_pid "$index" >/dev/null || echo "$index"
  done
}

start_guest() {
  local index=$1 share shares machine
  shares=("host,path=$(programs_of "$index")/,multidevs=remap" "peer,path=$parts")
  case $index in
    1) ;;
    "$AARCH64") shares+=("programs,path=/,multidevs=remap") ;;
    *) shares+=("programs,path=$(folder_of "$index")/root") ;;
  esac
  # maxcpus: before 8.1, QEMU leaves out memory barriers when a machine can have one processor only, although its own threads serve the
  # devices. A notification of the network card is then lost now and then, and the guest never sends again.
  # no_timer_check: on a busy host the timer of an emulated processor comes too late for the kernel's test of it, which panics.
  case ${PROCESSOR[$index]} in
    arm64) machine=(qemu-system-aarch64 -M virt -cpu cortex-a72 -m 6144 -smp 2 -append "console=ttyAMA0 quiet panic=-1 peer.index=$index") ;;
    *) machine=(qemu-system-x86_64 -m "${RXE_PEER_MEMORY:-1024}" -smp "1,maxcpus=2"
      -append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check peer.index=$index") ;;
  esac
  set --
  for share in "${shares[@]}"; do
    set -- "$@" -fsdev "local,security_model=none,readonly=on,id=$share" -device "virtio-9p-pci,fsdev=${share%%,*},mount_tag=${share%%,*}"
  done
  rm -f "$state/guest$index.log" "$state/guest$index.pid"
  # The guest mounts the programs read-only and writes into a layer in its own memory.
  # shellcheck disable=SC2086 # an accelerator may have options of QEMU after it
  in_namespace nice -n -5 "${machine[@]}" -name "kernel-peer-$index" -accel ${RXE_PEER_ACCEL:-tcg,thread=multi} \
    -nodefaults -display none -no-reboot -daemonize -pidfile "$state/guest$index.pid" -serial "file:$state/guest$index.log" \
    -kernel "$(folder_of "$index")/kernel/vmlinuz" -initrd "$state/initramfs.$index" \
    "$@" -netdev "tap,id=roce,ifname=tap$index,script=no,downscript=no" \
    -device "virtio-net-pci,netdev=roce,romfile=,mac=52:54:00:99:00:0$((index + 1))" \
    -netdev "tap,id=control,ifname=ctl$index,script=no,downscript=no" \
    -device "virtio-net-pci,netdev=control,romfile=,mac=52:54:00:98:00:0$((index + 1))" \
    -device virtio-rng-pci 2>"$state/guest$index.qemu" ||
    die "QEMU did not start: $(tail -n 3 "$state/guest$index.qemu")"
}

wait_for_guest() {
  local index=$1 end=$((SECONDS + 300))
  until run_in_guest "$index" 2>/dev/null; do
    guest_pid "$index" >/dev/null || boot_failed "$index" "peer $index stopped while booting"
    [ $SECONDS -lt $end ] || boot_failed "$index" "peer $index was not ready after 300 seconds"
    sleep 0.1
  done
  run_in_guest "$index" test -e /sys/class/infiniband/rxe0 || boot_failed "$index" "peer $index has no rxe device"
}

boot_failed() {
  say "the end of its console:"
  tail -n 30 "$state/guest$1.log" >&2 || true
  cp "$state/guest$1.log" "/tmp/kernel-peer-$1.console.log" 2>/dev/null || true
  die "$2: its console output is in /tmp/kernel-peer-$1.console.log"
}

stop_guest() {
  local pid
  if pid=$(guest_pid "$1"); then
    kill "$pid" 2>/dev/null || true
    timeout 2 tail -s 0.1 --pid="$pid" -f /dev/null || kill -9 "$pid" 2>/dev/null || true
  fi
  rm -f "$state/guest$1.pid"
}
