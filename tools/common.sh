# Shared by tools/setup, tools/demo and tools/test: messages, timing of stages, configuring and building. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=release
build=$root/build/$preset
# Where tools/setup --with-arm unpacks arm64 packages.
arm64_sysroot=${NNVK_ARM64_SYSROOT:-$root/build/arm64-sysroot}
cache_home=${XDG_CACHE_HOME:-$HOME/.cache}/nnvk

say() { printf '%s\n' "== $*"; }

fail() {
  printf '%s\n' "error: $*" >&2
  exit 1
}

# stage NAME COMMAND...: runs the command, then prints how long it took. A failure ends the script.
stage() {
  local name=$1 start=$SECONDS
  shift
  say "$name"
  "$@" || fail "$name failed"
  say "$name took $((SECONDS - start)) s"
}

# Installs what is missing; costs a fraction of a second when nothing is.
setup() { "$root/tools/setup" "$@"; }

# configure [cmake options...]
configure() {
  local log=$build/configure.log
  mkdir -p "$build"
  if ! cmake --preset "$preset" -S "$root" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# build_targets [targets...]: on a terminal ninja shows one moving line, elsewhere a line now and then.
build_targets() {
  local targets=("$@")
  if [[ -t 1 ]]; then
    NINJA_STATUS='[%f/%t, %es] ' cmake --build "$build" --parallel ${targets:+--target "${targets[@]}"}
    return
  fi
  local log=$build/build.log
  if ! NINJA_STATUS='[%f/%t, %es] ' cmake --build "$build" --parallel ${targets:+--target "${targets[@]}"} 2>&1 | tee "$log" |
    awk '/^\[/ { if (systime() - last >= 20) { print; fflush(); last = systime() } next } { print; fflush() }'; then
    return 1
  fi
}

# The software Vulkan driver, so that results do not depend on the machine's GPU, and kept compiled shaders.
use_lavapipe() {
  local driver
  for driver in /usr/share/vulkan/icd.d/lvp_icd*.json; do
    if [[ -e $driver ]]; then
      export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver
    fi
  done
}

keep_shaders() {
  export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-$cache_home/mesa}
  mkdir -p "$MESA_SHADER_CACHE_DIR"
}

# keep_links_inside FOLDER: links to absolute paths in an unpacked root would leave it; they become relative.
keep_links_inside() {
  local link target
  while IFS= read -r -d '' link; do
    target=$(readlink "$link")
    if [[ $target == /* ]]; then ln -snf "$(realpath -m --relative-to="$(dirname "$link")" "$1$target")" "$link"; fi
  done < <(find "$1" -type l -print0)
}
