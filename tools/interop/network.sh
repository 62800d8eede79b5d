# shellcheck shell=bash disable=SC2154
# Sourced by tools/kernel-peer, which sets the variables that are not set here.
#
# The network namespace that the peers and our NIC share:
#
#   br0   10.99.0.1/24 fd99::1/64   RoCE, one tap per guest; our NIC binds here; MTU set by "mtu"
#   ctl0  10.98.0.1/24              commands and side channels; no faults are applied here

make_network() {
  if ! ip netns list 2>/dev/null | grep -qw "^$namespace"; then
    ip netns add "$namespace" || die "cannot create the network namespace $namespace: this needs CAP_SYS_ADMIN and /run/netns"
  fi
  in_namespace sysctl -q -w net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.default.accept_dad=0 \
    net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_ra=0 ||
    say "cannot change the IPv6 settings of the namespace"
  in_namespace ip link set lo up
  make_bridge br0 10.99.0.1/24
  in_namespace ip -6 address replace fd99::1/64 dev br0 nodad
  make_bridge ctl0 10.98.0.1/24
}

make_bridge() {
  local bridge=$1 address=$2
  if ! in_namespace ip link show "$bridge" >/dev/null 2>&1; then
    in_namespace ip link add "$bridge" type bridge stp_state 0 forward_delay 0 mcast_snooping 0 ||
      die "cannot create a bridge: the kernel of this host needs CONFIG_BRIDGE"
  fi
  in_namespace ip address replace "$address" dev "$bridge"
  in_namespace ip link set "$bridge" up
}

make_taps() {
  local index=$1
  [ -c /dev/net/tun ] || die "no /dev/net/tun: load the tun module, or pass the device to this container"
  make_tap "tap$index" br0
  make_tap "ctl$index" ctl0
}

make_tap() {
  local tap=$1 bridge=$2
  in_namespace ip link show "$tap" >/dev/null 2>&1 || in_namespace ip tuntap add "$tap" mode tap
  # Queues the bursts that an emulated guest receives slowly: this network must lose nothing by itself.
  in_namespace ip link set "$tap" master "$bridge" txqueuelen 20000 up
}

# A bridge without an MTU of its own uses the smallest of its ports: sets all of them.
set_host_mtu() {
  local mtu=$1 link
  for link in $(in_namespace ip -o link show | sed -n 's/^[0-9]*: \(tap[0-9]*\)[:@].*/\1/p') br0; do
    in_namespace ip link set "$link" mtu "$mtu"
  done
}

set_mtu() {
  local mtu=$1 index
  case $mtu in
    '' | *[!0-9]*) die "MTU '$mtu' is not a number: use 1500 (IB MTU 1024) or 4200 (IB MTU 4096)" ;;
  esac
  if [ "$mtu" -lt 1280 ] || [ "$mtu" -gt 9000 ]; then
    die "MTU $mtu is outside 1280 to 9000: use 1500 (IB MTU 1024) or 4200 (IB MTU 4096)"
  fi
  set_host_mtu "$mtu"
  for index in $(running_guests); do
    run_in_guest "$index" ip link set eth0 mtu "$mtu"
  done
  echo "$mtu" >"$state/mtu"
}
