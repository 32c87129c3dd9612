# Shared by tools/drivers, tools/frameworks and tools/bundle: fetches Debian packages of any release and unpacks them into a folder. Nothing is
# installed. Sourced after common.sh, not run.

mirror=${NNVK_DEBIAN_MIRROR:-http://deb.debian.org}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
architecture=$(dpkg --print-architecture 2>/dev/null) || fail "this is not a Debian system: packages are taken from Debian"
libraries=usr/lib/$(gcc -print-multiarch 2>/dev/null || printf '%s-linux-gnu' "$(uname -m)")

# The folder that is being made, the log of everything that was run for it, and why it cannot be had.
folder=
log=
because() { printf '%s\n' "$*" >"$folder/reason"; }

# apt_for SUITES...: an apt with a configuration and state of its own, which knows these suites (the last one preferred). To it nothing is
# installed, so that the result is the same on every machine.
apt_for() {
  local apt=$folder/apt suite archive
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
  : >"$apt/status"
  : >"$apt/sources.list"
  for suite in "$@"; do
    archive=debian
    [[ $suite != *-security ]] || archive=debian-security
    printf 'deb [signed-by=%s arch=%s] %s/%s %s main\n' "$keyring" "$architecture" "$mirror" "$archive" "$suite" >>"$apt/sources.list"
  done
  cat >"$apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::Etc::preferences "$apt/none";
Dir::Etc::preferencesparts "$apt/parts";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architecture "$architecture";
APT::Architectures "$architecture";
APT::Install-Recommends "false";
APT::Default-Release "${!#}";
APT::Sandbox::User "root";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
Acquire::Retries "3";
Debug::NoLocking "true";
CONF
  run_apt update || { because "apt-get update failed for $mirror ($*); see $log"; return 1; }
}

# packages_with_dependencies NAMES...
packages_with_dependencies() {
  run_apt -y --download-only install "$@" || { because "$* cannot be had with all that it needs; see $log"; return 1; }
}

# package_alone NAME
package_alone() {
  (cd "$folder/apt/cache/archives" && run_apt download "$1") || { because "$1 cannot be downloaded; see $log"; return 1; }
}

# source_alone NAME VERSION: the original source of a package, unless the newest version in the suites is of another one.
source_alone() {
  sed -n 's/^deb \[\(.*\) arch=[^]]*\]/deb-src [\1]/p' "$folder/apt/sources.list" >"$folder/apt/parts/sources.list"
  run_apt update && (cd "$folder/apt/cache/archives" && run_apt --download-only source "$1" && [[ -e $1_$2.orig.tar.xz ]]) ||
    { because "the source of $1 $2 cannot be downloaded; see $log"; return 1; }
}
run_apt() { APT_CONFIG=$folder/apt/apt.conf apt-get -q "$@" >>"$log" 2>&1; }

# unpack FOLDER [PATTERN...]: all downloaded packages, without those whose name matches a pattern (whole names).
unpack() {
  local target=$1 package name pattern
  shift
  mkdir -p "$target"
  for package in "$folder"/apt/cache/archives/*.deb; do
    name=$(basename "${package%%_*}")
    for pattern in "$@"; do
      [[ $name != $pattern ]] || continue 2
    done
    # Older packages hold folders where the root has links (/lib).
    { dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$target"; } >>"$log" 2>&1 || { because "$package cannot be unpacked; see $log"; return 1; }
  done
}

version_of() { dpkg-deb -f "$folder"/apt/cache/archives/"$1"_*.deb Version; }

# icd_file FILE LIBRARY: tells the Vulkan loader where the driver's library lies.
icd_file() { printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$2" >"$1"; }

# unpack_root SUITE NAMES...: a small root of a newer release in $folder/unpacked, with these packages and a shell. Nothing in it is
# configured: no alternatives, no cache of the dynamic linker.
unpack_root() {
  local suite=$1 link
  shift
  apt_for "$suite" && packages_with_dependencies "$@" base-files dash bash coreutils || return 1
  # Packages rely on these links of base-files.
  mkdir -p "$folder/unpacked/usr"/{bin,sbin,lib,lib64}
  for link in bin sbin lib lib64; do ln -sfn "usr/$link" "$folder/unpacked/$link"; done
  unpack "$folder/unpacked"
}

# run_in_root NAME=VALUE...: writes $folder/run, a script that runs a command in the root with these variables, and tries it. All folders
# that no distribution owns (/home, /tmp, ...) are seen at their own path there; libraries of the system that a program beside the command
# needs and the root lacks are put beside (libfmt ...).
run_in_root() {
  {
    printf '#!/bin/bash\n# Made by tools/%s: runs a command in a root of its own.\n' "$(basename "$0")"
    printf 'folder=$(dirname "$(readlink -f "$0")") libraries=%q\n' "$libraries"  # the folder may move
    cat <<'RUN'
root=$folder/unpacked
command=$(type -P -- "$1") || command=$1
mkdir -p "$folder/beside" "$folder/cache"
for program in "$command" "${command%/*}"/*; do
  [[ $program == "$command" || $command == */bin/* && $command != /bin/* && $command != /usr/* ]] || continue
  [[ -f $program && -x $program ]] || continue
  while read -r name _ path _; do
    [[ $path == /lib/* || $path == /usr/lib/* ]] || continue
    [[ -e $root/$libraries/$name ]] || cp -Lu "$path" "$folder/beside/$name"
  done < <(ldd "$program" 2>/dev/null)
done
if [[ -z ${NNVK_IN_NAMESPACE:-} ]]; then
  rights=()
  ((EUID == 0)) || rights=(--user --map-root-user)
  exec unshare --mount "${rights[@]}" env NNVK_IN_NAMESPACE=1 "$0" "$@"
fi
for host in /*; do
  case $host in
    /bin | /boot | /etc | /lib* | /sbin | /usr | /var | /run | /lost+found) continue ;;
  esac
  [[ -d $host && ! -L $host ]] || continue
  mkdir -p "$root$host"
  mount --rbind "$host" "$root$host" || exit 125
done
export PATH=/usr/bin:/usr/sbin LD_LIBRARY_PATH=$folder/beside
RUN
    (($# == 0)) || { printf 'export'; printf ' %q' "$@"; printf '\n'; }
    cat <<'RUN'
unset NNVK_IN_NAMESPACE
exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
RUN
  } >"$folder/run"
  chmod +x "$folder/run"
  "$folder/run" /bin/true >>"$log" 2>&1 ||
    { because "the root cannot be entered: mounts need root rights or user namespaces; see $log"; return 1; }
}
