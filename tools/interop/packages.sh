# shellcheck shell=bash disable=SC2154
# Sourced by tools/kernel-peer, which sets the variables that are not set here.
#
# Installs what the host needs, and downloads the kernels that the guests boot.

readonly PACKAGES=(qemu-system-x86 busybox-static cpio kmod iproute2 tcpdump rdma-core ibverbs-utils
  ibverbs-providers perftest rdmacm-utils python3 python3-pyverbs xz-utils)

# In loading order; kernels lack some. crc32_generic: rdma_rxe needs it for 'rdma link add'.
readonly MODULES=(virtio_pci virtio_net virtio_rng 9p 9pnet_virtio overlay crc32_generic ib_uverbs rdma_ucm rdma_rxe
  ib_umad sch_netem sch_ingress cls_matchall act_mirred ifb veth
  brd crc32c_generic nvmet_rdma) # the last three: an NVMe-oF target with a RAM disk
# For all but the first kernel: programs that know its verbs.
readonly NEWER_PROGRAMS=(python3-minimal libpython3-stdlib python3-pyverbs ibverbs-providers)
# For another processor: a whole system, with what builds and tests this project.
readonly SYSTEM=(bash busybox-static coreutils dash findutils gawk gcc grep ibverbs-providers ibverbs-utils iproute2 iputils-ping kmod
  libc-bin libc6-dev maven mount openjdk-17-jdk-headless perftest procps python3 python3-pyverbs rdma-core rdmacm-utils sed util-linux)

# Of each peer: the release of Debian whose kernel it boots, 6.1, 6.12, the first that knows ATOMIC_WRITE and FLUSH, or the newest; the series
# of a kernel that is not the release's default one; its processor, as Debian names it.
readonly RELEASE=([1]=bookworm [AARCH64]=bookworm [LONG_TERM]=trixie-backports [NEWEST]=trixie-backports [NEWER]=trixie)
readonly SERIES=([LONG_TERM]=6.18)
readonly PROCESSOR=([1]=amd64 [AARCH64]=arm64 [LONG_TERM]=amd64 [NEWEST]=amd64 [NEWER]=amd64)

# The root of the programs of a peer: this host's, unless they are of another processor.
programs_of() {
  [ "$1" != "$AARCH64" ] || echo "$(folder_of "$1")/root"
}

# The folder with kernel/vmlinuz, kernel/modules numbered in loading order, and root with programs.
folder_of() {
  echo "$cache/${RELEASE[$1]}${SERIES[$1]:-}${PROCESSOR[$1]/amd64/}_$(printf '%s ' "${MODULES[@]}" "${NEWER_PROGRAMS[@]}" | cksum | cut -d ' ' -f 1)"
}

logged() {
  "$@" >>"$state/packages.log" 2>&1 </dev/null
}

# Downloads the kernel of a peer and its programs once: remove the folder to do it again. Ends the program when they cannot be had; for the
# newer peer returns 1, with the reason in newer_problem.
prepare() {
  local target reason
  target=$(folder_of "$1")
  [ ! -e "$target/kernel/vmlinuz" ] || return 0
  say "fetching the kernel of Debian ${RELEASE[$1]}"
  scratch=$cache/fetch.$$
  at_exit+=("rm -rf '$scratch'")
  if fetch "$1"; then
    rm -rf "$target" "$scratch/unpacked/image"
    mv "$scratch/unpacked" "$target"
    return
  fi
  cp "$state/packages.log" /tmp/kernel-peer-packages.log 2>/dev/null || true
  reason="no kernel of Debian ${RELEASE[$1]} could be fetched from $(mirror): see /tmp/kernel-peer-packages.log"
  [ "$1" = "$NEWER" ] || die "$reason"
  newer_problem=$reason
  say "$newer_problem"
  return 1
}

# As part of a condition: a command that fails does not end the program.
fetch() {
  local file packages release series processor programs=("${NEWER_PROGRAMS[@]}")
  release=${RELEASE[$1]} series=${SERIES[$1]:-} processor=${PROCESSOR[$1]}
  rm -rf "$scratch"
  mkdir -p "$scratch"/{lists,archives}/partial "$scratch"/unpacked/{image,kernel/modules,root}
  : >"$scratch/status"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "$(mirror)" "${release%-*}" "$(mirror)" "$release" "$(mirror)-security" "${release%-*}-security" >"$scratch/sources.list"
  printf 'Package: *\nPin: release n=*-backports\nPin-Priority: 500\n' >"$scratch/preferences"
  # A mirror may lack security updates.
  logged own_apt get update -qq || true
  if [ -n "$series" ]; then
    # Not installed: the release no longer has the small packages it depends on.
    mapfile -t packages < <(own_apt cache pkgnames "linux-image-$series." | grep -E '^linux-image-[0-9.]+\+deb[0-9]+-amd64$' | sort -V | tail -n 1)
  else
    # Newer kernels have the kernel and its modules in two packages.
    mapfile -t packages < <(own_apt get install -s "linux-image-$processor" 2>/dev/null | sed -nE 's/^Inst (linux-(image|binary|modules)-[0-9][^ ]*) .*/\1/p')
  fi
  [ ${#packages[@]} -gt 0 ] && (cd "$scratch" && logged own_apt get download -qq "${packages[@]}") || return 1
  for file in "$scratch"/*.deb; do
    dpkg -x "$file" "$scratch/unpacked/image" || return 1
  done
  collect_modules "$scratch/unpacked/image" "$scratch/unpacked/kernel" || return 1
  case $1 in 1) return 0 ;; "$AARCH64") programs=("${SYSTEM[@]}") ;; esac
  logged own_apt get install -y -qq --download-only "${programs[@]}" || return 1
  # /bin, /lib and /sbin are links in a merged /usr, which the packages take for granted.
  mkdir -p "$scratch"/unpacked/root/{usr/bin,usr/lib,usr/lib64,usr/sbin,proc,sys,dev,tmp,peer,etc}
  ln -s usr/{bin,lib,lib64,sbin} "$scratch/unpacked/root"
  for file in "$scratch"/archives/*.deb; do
    dpkg --fsys-tarfile "$file" | tar -x -C "$scratch/unpacked/root" --keep-directory-symlink || return 1
  done
}

# Copies modules and their dependencies, each once, uncompressed, numbered in loading order; and the kernel.
collect_modules() {
  local root=$1 target=$2 release module file name number=100
  # Newer packages have /usr/lib only.
  [ -d "$root/lib/modules" ] || ln -s usr/lib "$root/lib"
  release=$(ls "$root/lib/modules")
  logged depmod -b "$root" "$release"
  for module in "${MODULES[@]}"; do
    while read -r file; do
      name=$(basename "$file" .xz)
      if ! compgen -G "$target/modules/*-$name" >/dev/null; then
        # -f: a file that is not compressed passes as it is.
        xz -dcf "$file" >"$target/modules/$number-$name"
        number=$((number + 1))
      fi
    done < <(modprobe -d "$root" -S "$release" --show-depends "$module" 2>>"$state/packages.log" | sed -n 's/^insmod \([^ ]*\).*/\1/p')
  done
  find "$root" -name 'vmlinuz*' -exec cp {} "$target/vmlinuz" \;
}

# apt-get or apt-cache for one release: its own sources, lists and downloads, and a system where nothing is installed.
own_apt() {
  local tool=apt-$1
  shift
  "$tool" -o Dir::Etc::sourcelist="$scratch/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::Etc::preferences="$scratch/preferences" -o Dir::Etc::preferencesparts=- -o Dir::State::lists="$scratch/lists" \
    -o Dir::State::status="$scratch/status" -o Dir::Cache="$scratch" -o Dir::Cache::archives="$scratch/archives" \
    -o APT::Architecture="$processor" -o APT::Architectures="$processor" -o APT::Install-Recommends=false "$@" </dev/null
}

# The mirror of this host's own packages.
mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null |
    sed '1!d; s:/$::' | grep . || echo http://deb.debian.org/debian
}
