# shellcheck shell=bash disable=SC2154
# Sourced by tools/kernel-peer, which sets the variables that are not set here.
#
# Guests: builds the initramfs, starts QEMU, waits until a guest accepts commands, stops it.

# The initramfs is small, rebuilt each time, and uncompressed: emulated CPUs unpack slowly. Arguments: kernel folder, file.
make_initramfs() {
  local tree=$state/initramfs
  rm -rf "$tree"
  mkdir -p "$tree/bin"
  cp -r "$1/modules" "$tree/modules"
  cp /bin/busybox "$tree/bin/busybox"
  cp "$parts/initramfs-init.sh" "$tree/init"
  chmod 755 "$tree/init"
  (cd "$tree" && find . | cpio --quiet -o -H newc) >"$2"
  rm -rf "$tree"
}

guest_pid() {
  local pid
  pid=$(cat "$state/guest$1.pid" 2>/dev/null) || return 1
  # The pid may belong to another process by now.
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "$state/guest$1.log" && echo "$pid"
}

running_guests() {
  local file index
  for file in "$state"/guest*.pid; do
    index=${file##*/guest}
    index=${index%.pid}
    if [ -e "$file" ] && guest_pid "$index" >/dev/null; then
      echo "$index"
    fi
  done
}

start_guest() {
  local index=$1 acceleration=tcg,thread=multi cpus=${RXE_PEER_CPUS:-1} kernel=$kernel_dir initramfs=$state/initramfs.cpio programs=()
  if [ "$index" = "$NEWER" ]; then
    kernel=$newer_dir/kernel
    initramfs=$state/initramfs-newer.cpio
    programs=(-fsdev "local,id=programs,path=$newer_dir/root,security_model=none,readonly=on"
      -device "virtio-9p-pci,fsdev=programs,mount_tag=programs")
  fi
  [ "${RXE_PEER_ACCEL:-tcg}" = kvm ] && acceleration=kvm
  rm -f "$state/guest$index.log" "$state/guest$index.pid"
  # maxcpus: before 8.1, QEMU leaves out memory barriers when a machine can have one processor only, although its own threads serve the
  # devices. A notification of the network card is then lost now and then, and the guest never sends again.
  # no_timer_check: on a busy host the timer of an emulated processor comes too late for the kernel's test of it, which panics.
  # The guest mounts the host's / read-only and writes into a layer in its own memory.
  in_namespace nice -n -5 qemu-system-x86_64 -name "kernel-peer-$index" -accel "$acceleration" -m "${RXE_PEER_MEMORY:-1024}" \
    -smp "$cpus,maxcpus=$((cpus + 1))" -nodefaults -display none -no-reboot -daemonize -pidfile "$state/guest$index.pid" \
    -serial "file:$state/guest$index.log" -kernel "$kernel/vmlinuz" -initrd "$initramfs" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check peer.index=$index peer.mtu=$(current_mtu)" \
    -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=host,mount_tag=host \
    -fsdev local,id=peer,path="$parts",security_model=none,readonly=on \
    -device virtio-9p-pci,fsdev=peer,mount_tag=peer ${programs[@]+"${programs[@]}"} \
    -netdev "tap,id=roce,ifname=tap$index,script=no,downscript=no" \
    -device "virtio-net-pci,netdev=roce,romfile=,mac=52:54:00:99:00:0$((index + 1))" \
    -netdev "tap,id=control,ifname=ctl$index,script=no,downscript=no" \
    -device "virtio-net-pci,netdev=control,romfile=,mac=52:54:00:98:00:0$((index + 1))" \
    -device virtio-rng-pci 2>"$state/guest$index.qemu" ||
    die "QEMU did not start: $(tail -n 3 "$state/guest$index.qemu")"
}

wait_for_guest() {
  local index=$1 limit=${RXE_PEER_BOOT_SECONDS:-120}
  local end=$((SECONDS + limit))
  until run_in_guest "$index" 2>/dev/null; do
    guest_pid "$index" >/dev/null || boot_failed "$index" "peer $index stopped while booting"
    [ $SECONDS -lt $end ] || boot_failed "$index" "peer $index was not ready after $limit seconds"
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
  local index=$1 pid try
  if pid=$(guest_pid "$index"); then
    kill "$pid" 2>/dev/null || true
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      guest_pid "$index" >/dev/null || break
      [ "$try" -lt 20 ] || kill -9 "$pid" 2>/dev/null || true
      sleep 0.1
    done
  fi
  rm -f "$state/guest$index.pid"
}
