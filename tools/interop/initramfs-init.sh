#!/bin/busybox sh
# shellcheck shell=dash
# First stage of a kernel peer's boot, inside the initramfs: loads the modules, puts a writable layer over the host's root
# file system and switches to it. Never writes to the host's files.
set -e
/bin/busybox mkdir -p /proc /sys /dev /lower /layer /newroot
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs dev /dev

for module in /modules/*.ko; do
  case $module in
    # One RAM disk of 64 MiB.
    *-brd.ko) set -- rd_nr=1 rd_size=65536 ;;
    *) set -- ;;
  esac
  /bin/busybox insmod "$module" "$@" || echo "kernel peer: module $module did not load"
done

/bin/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=524288,cache=loose host /lower
/bin/busybox mount -t tmpfs tmpfs /layer
/bin/busybox mkdir -p /layer/upper /layer/work
/bin/busybox mount -t overlay -o lowerdir=/lower,upperdir=/layer/upper,workdir=/layer/work overlay /newroot
/bin/busybox mkdir -p /newroot/proc /newroot/sys /newroot/dev /newroot/peer
# Uncached, so that a running guest sees changes to the scripts.
/bin/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=524288,cache=none peer /newroot/peer
for tree in proc sys dev; do
  /bin/busybox mount --move "/$tree" "/newroot/$tree"
done
exec /bin/busybox switch_root /newroot /bin/sh /peer/guest-init.sh
