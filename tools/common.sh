# shellcheck shell=bash disable=SC2034
# Shell functions that the scripts in this folder and in dev/ share. A script sources this file first:
#
#   . "$(dirname "$(readlink -f "$0")")/common.sh"
#
# It sets script (the script's own path), program (its name, which begins every message) and home (the checkout).

least_java=17
script=$(readlink -f "$0")
program=${script##*/}
home=${script%/tools/*}

say() {
  echo "$program: $*" >&2
}

die() {
  say "$*"
  exit 1
}

# Prints the comment at the head of the script, and ends it.
usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script" >&2
  exit 2
}

# Installs Debian packages, the missing ones only.
need() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || die "missing: ${missing[*]}; run this as root, or: sudo apt-get install ${missing[*]}"
  say "installing ${missing[*]}"
  apt-get update -qq >&2 || say "apt-get update failed"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null </dev/null ||
    die "cannot install the Debian packages ${missing[*]}"
}

# Major version of the Java in a folder, 0 when there is none.
java_major() {
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null \
    || "$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p;q') || true
  echo "${version:-0}"
}

# The Javas here that are new enough and have a program, the first of each version: that of JAVA_HOME, that on the PATH, others.
javas() {
  local on_path folder major seen=
  on_path=$(readlink -f "$(command -v "$1" || true)" || true)
  for folder in "${JAVA_HOME:-}" "${on_path%/bin/*}" /usr/lib/jvm/*; do
    { [ -n "$folder" ] && [ -x "$folder/bin/$1" ]; } || continue
    major=$(java_major "$folder")
    if [ "$major" -lt "$least_java" ]; then
      [ "$folder" != "${JAVA_HOME:-}" ] || say "JAVA_HOME has Java $major; rxe needs $least_java or newer: trying other installations"
    elif [[ " $seen " != *" $major "* ]]; then
      seen+=" $major"
      echo "$folder"
    fi
  done
}

# Sets java_home and java_major to the first Java that has a program (default: java).
find_java() {
  [ -z "${JAVA_HOME:-}" ] || [ -x "$JAVA_HOME/bin/java" ] ||
    die "JAVA_HOME=$JAVA_HOME has no bin/java: set it to the folder of a JDK, or unset it to let $program find one"
  read -r java_home <<<"$(javas "${1:-java}")" && [ -n "$java_home" ] || return # "< <(...)" would need /proc.
  java_major=$(java_major "$java_home")
}

require_jdk() {
  find_java javac || die "no JDK $least_java or newer to build with: install one (apt-get install openjdk-17-jdk-headless)"
}

require_maven() {
  command -v mvn >/dev/null || die "Maven is needed to build: install it (apt-get install maven)"
}

# Sets java_flags to what Netty and Agrona need of the Java that find_java chose.
set_java_flags() {
  java_flags=(--add-exports java.base/jdk.internal.misc=ALL-UNNAMED --enable-native-access=ALL-UNNAMED)
  [ "$java_major" -lt 24 ] || java_flags+=(--sun-misc-unsafe-memory-access=allow)
}

# Compiles a module and those it needs, with their tests. Sets java_flags, and class_path to that of the tests: of this module, of the
# others that are named, and of its libraries.
test_class_path() {
  local list=$home/$1/target/test-class-path module
  require_maven
  require_jdk
  (cd "$home" && JAVA_HOME=$java_home mvn -B -ntp -q -pl "$1" -am -DskipTests -Dcheckstyle.skip test-compile \
    org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath -Dmdep.outputFile="$list" -Dmdep.includeScope=test >&2)
  set_java_flags
  class_path=
  for module in "$@"; do
    class_path+=$home/$module/target/test-classes:$home/$module/target/classes:
  done
  class_path+=$(<"$list")
}
