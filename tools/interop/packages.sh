# shellcheck shell=bash disable=SC2154
# Sourced by tools/kernel-peer, which sets the variables that are not set here.
#
# Installs what the host needs: Debian packages, and the kernel that the guests boot.

readonly PACKAGES=(qemu-system-x86 busybox-static cpio kmod iproute2 tcpdump rdma-core ibverbs-utils
  ibverbs-providers perftest rdmacm-utils python3 python3-pyverbs xz-utils)

# The second kernel: the first release of Debian whose kernel knows ATOMIC_WRITE and FLUSH, with the programs that use them.
readonly NEWER_RELEASE=trixie NEWER_PROGRAMS=(python3-minimal libpython3-stdlib python3-pyverbs ibverbs-providers)

# In loading order. crc32_generic: rdma_rxe needs it for 'rdma link add'.
readonly MODULES=(virtio_pci virtio_net virtio_rng 9p 9pnet_virtio overlay crc32_generic ib_uverbs rdma_ucm rdma_rxe
  ib_umad sch_netem sch_ingress cls_matchall act_mirred ifb veth)
# Of the first kernel besides: an NVMe-oF target with a RAM disk.
readonly STORAGE_MODULES=(crc32c_generic nvmet_rdma brd)

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
  kernel_dir=$cache/${package}_${version}_$(printf '%s ' "${MODULES[@]}" "${STORAGE_MODULES[@]}" | cksum | cut -d ' ' -f 1)
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
  if ! download_into "$scratch" apt-get "$package"; then
    refresh_package_lists
    download_into "$scratch" apt-get "$package" || die "apt-get download $package failed: see $state/packages.log"
  fi
  dpkg -x "$scratch"/linux-image-*.deb "$scratch/root"
  collect_modules "$scratch/root" "$scratch/kernel" "${MODULES[@]}" "${STORAGE_MODULES[@]}"
  rm -rf "$kernel_dir"
  mv "$scratch/kernel" "$kernel_dir"
  rm -rf "$scratch"
}

# Arguments: a folder, the command that stands for apt-get, a package.
download_into() {
  (cd "$1" && "$2" download -qq "$3" >>"$state/packages.log" 2>&1)
}

# Copies modules and their dependencies, each once, uncompressed, numbered in loading order.
collect_modules() {
  local root=$1 target=$2 release module file name number=100
  shift 2
  # Newer packages have /usr/lib only.
  [ -d "$root/lib/modules" ] || ln -s usr/lib "$root/lib"
  release=$(ls "$root/lib/modules")
  depmod -b "$root" "$release"
  mkdir -p "$target/modules"
  for module in "$@"; do
    while read -r file; do
      name=$(basename "$file" .xz)
      if ! compgen -G "$target/modules/*-$name" >/dev/null; then
        case $file in
          *.xz) xz -dc "$file" >"$target/modules/$number-$name" ;;
          *) cp "$file" "$target/modules/$number-$name" ;;
        esac
        number=$((number + 1))
      fi
    done < <(modprobe -d "$root" -S "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p')
  done
  cp "$root/boot/vmlinuz-$release" "$target/vmlinuz"
}

# Sets newer_dir to a folder with the second kernel and its programs. Returns 1, with the reason in newer_problem, when the packages
# cannot be had. What was fetched once is used from then on: remove the folder to fetch it again.
prepare_newer() {
  newer_dir=$cache/newer-${NEWER_RELEASE}_$(printf '%s ' "${MODULES[@]}" "${NEWER_PROGRAMS[@]}" | cksum | cut -d ' ' -f 1)
  newer_problem=
  [ -e "$newer_dir/kernel/vmlinuz" ] && return
  say "fetching the kernel and rdma-core of Debian $NEWER_RELEASE"
  newer_apt_dir=$cache/apt.$$
  at_exit+=("rm -rf '$newer_apt_dir'")
  if ! fetch_newer; then
    newer_problem="no kernel of Debian $NEWER_RELEASE could be fetched from $(mirror): see /tmp/kernel-peer-newer.log"
    cp "$state/packages.log" /tmp/kernel-peer-newer.log 2>/dev/null || true
    say "$newer_problem"
    return 1
  fi
  rm -rf "$newer_apt_dir"
}

fetch_newer() {
  local package file
  mkdir -p "$newer_apt_dir"/{lists,archives}/partial "$newer_apt_dir"/unpacked/{image,root}
  : >"$newer_apt_dir/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $NEWER_RELEASE main" >"$newer_apt_dir/sources.list"
  newer_apt update -qq >>"$state/packages.log" 2>&1 || return 1
  package=$(newer_apt install -s linux-image-amd64 2>/dev/null | sed -n 's/^Inst \(linux-image-[0-9][^ ]*\) .*/\1/p' | head -n 1)
  [ -n "$package" ] && download_into "$newer_apt_dir" newer_apt "$package" || return 1
  newer_apt install -y -qq --download-only "${NEWER_PROGRAMS[@]}" >>"$state/packages.log" 2>&1 || return 1
  dpkg -x "$newer_apt_dir/$package"_*.deb "$newer_apt_dir/unpacked/image" || return 1
  # /bin, /lib and /sbin are links in a merged /usr, which the packages take for granted.
  mkdir -p "$newer_apt_dir"/unpacked/root/{usr/bin,usr/lib,usr/lib64,usr/sbin,proc,sys,dev,tmp,peer,etc}
  for file in bin lib lib64 sbin; do
    ln -s "usr/$file" "$newer_apt_dir/unpacked/root/$file"
  done
  for file in "$newer_apt_dir"/archives/*.deb; do
    dpkg --fsys-tarfile "$file" | tar -x -C "$newer_apt_dir/unpacked/root" --keep-directory-symlink || return 1
  done
  collect_modules "$newer_apt_dir/unpacked/image" "$newer_apt_dir/unpacked/kernel" "${MODULES[@]}" || return 1
  rm -rf "$newer_apt_dir/unpacked/image" "$newer_dir"
  mv "$newer_apt_dir/unpacked" "$newer_dir"
}

# apt-get for the other release: its own sources, lists and downloads, and a system where nothing is installed.
newer_apt() {
  apt-get -o Dir::Etc::sourcelist="$newer_apt_dir/sources.list" -o Dir::Etc::sourceparts=- -o Dir::Etc::preferencesparts=- \
    -o Dir::State::lists="$newer_apt_dir/lists" -o Dir::State::status="$newer_apt_dir/status" -o Dir::Cache="$newer_apt_dir" \
    -o Dir::Cache::archives="$newer_apt_dir/archives" -o APT::Architectures=amd64 -o APT::Install-Recommends=false "$@" </dev/null
}

# The mirror of this host's own packages.
mirror() {
  local found
  found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1)
  echo "${found:-http://deb.debian.org/debian}"
}
