# shellcheck shell=bash disable=SC2154
# Sourced by tools/kernel-peer, which sets the variables that are not set here.
#
# Installs what the host needs: Debian packages, and the kernel that the guests boot.

readonly PACKAGES=(qemu-system-x86 busybox-static cpio kmod iproute2 tcpdump rdma-core ibverbs-utils
  ibverbs-providers perftest rdmacm-utils python3 python3-pyverbs)

# In loading order. crc32_generic: rdma_rxe needs it for 'rdma link add'.
readonly MODULES=(virtio_pci virtio_net virtio_rng 9p 9pnet_virtio overlay crc32_generic ib_uverbs rdma_ucm rdma_rxe
  ib_umad sch_netem sch_ingress cls_matchall act_mirred ifb veth)

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

refresh_package_lists() {
  if [ -z "${package_lists_refreshed:-}" ]; then
    say "refreshing the package lists"
    apt-get update -qq >>"$state/packages.log" 2>&1 || say "apt-get update failed: see $state/packages.log"
    package_lists_refreshed=yes
  fi
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this needs a Debian system with apt-get; the packages are: ${PACKAGES[*]}"
  fi
  local package missing=()
  for package in "${PACKAGES[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${missing[*]}"
  apt_install "${missing[@]}" && return
  refresh_package_lists
  apt_install "${missing[@]}" ||
    die "cannot install ${missing[*]}: install them by hand; the reason is in $state/packages.log"
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
    >>"$state/packages.log" 2>&1 </dev/null
}

kernel_package() {
  apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: *\(linux-image-[^ ]*\)$/\1/p' | head -n 1
}

# Sets kernel_dir to a folder with vmlinuz and the modules, numbered in loading order.
prepare_kernel() {
  local package version
  package=$(kernel_package)
  if [ -z "$package" ]; then
    refresh_package_lists
    package=$(kernel_package)
  fi
  if [ -z "$package" ]; then
    kernel_dir=$(newest_cached_kernel)
    [ -n "$kernel_dir" ] || die "apt-cache finds no linux-image-amd64: check the sources in /etc/apt"
    return
  fi
  version=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: *//p')
  kernel_dir=$cache/${package}_${version}_$(printf '%s ' "${MODULES[@]}" | cksum | cut -d ' ' -f 1)
  [ -e "$kernel_dir/vmlinuz" ] || fetch_kernel "$package"
}

newest_cached_kernel() {
  local newest='' candidate
  for candidate in "$cache"/linux-image-*/vmlinuz; do
    if [ -e "$candidate" ] && { [ -z "$newest" ] || [ "$candidate" -nt "$newest" ]; }; then
      newest=$candidate
    fi
  done
  [ -z "$newest" ] || dirname "$newest"
}

fetch_kernel() {
  local package=$1 scratch=$cache/unpack.$$
  say "fetching $package"
  rm -rf "$scratch"
  mkdir -p "$scratch/root"
  at_exit+=("rm -rf '$scratch'")
  if ! download_into "$scratch" "$package"; then
    refresh_package_lists
    download_into "$scratch" "$package" || die "apt-get download $package failed: see $state/packages.log"
  fi
  dpkg -x "$scratch"/linux-image-*.deb "$scratch/root"
  collect_modules "$scratch/root" "$scratch/kernel"
  rm -rf "$kernel_dir"
  mv "$scratch/kernel" "$kernel_dir"
  rm -rf "$scratch"
}

download_into() {
  (cd "$1" && apt-get download -qq "$2" >>"$state/packages.log" 2>&1)
}

# Copies the modules and their dependencies, each once, numbered in loading order.
collect_modules() {
  local root=$1 target=$2 release module file number=100
  release=$(ls "$root/lib/modules")
  depmod -b "$root" "$release"
  mkdir -p "$target/modules"
  for module in "${MODULES[@]}"; do
    while read -r file; do
      if ! compgen -G "$target/modules/*-${file##*/}" >/dev/null; then
        cp "$file" "$target/modules/$number-${file##*/}"
        number=$((number + 1))
      fi
    done < <(modprobe -d "$root" -S "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p')
  done
  cp "$root/boot/vmlinuz-$release" "$target/vmlinuz"
}
