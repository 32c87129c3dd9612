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

# with_progress LOG COMMAND...: runs the command with its output in the log. Shows the seconds so far and the log's last line: on a
# terminal on one line that moves, elsewhere on a line of its own every few seconds, so that nobody takes the command for hanging.
with_progress() {
  local log=$1 status=0
  shift
  : >"$log"
  show_progress "$log" &
  local shown=$!
  "$@" >>"$log" 2>&1 || status=$?
  kill "$shown" 2>/dev/null || true
  wait "$shown" 2>/dev/null || true
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
  return "$status"
}

# show_progress LOG: what with_progress shows, until somebody ends it or this script ends.
show_progress() {
  local log=$1 start=$SECONDS every=5 format='%s\n' next line
  if [[ -t 1 ]]; then every=1 format='\r\033[K%s'; fi
  next=$every
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    if ((SECONDS - start < next)); then continue; fi
    line=$(tail -c 2000 "$log" | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | cut -c 1-100) || true
    # shellcheck disable=SC2059  # the format is one of the two above
    printf "$format" "$(printf '%5d s  %s' $((SECONDS - start)) "$line")"
    next=$((SECONDS - start + every))
  done
}

# configure [cmake options...]
configure() {
  local log=$build/configure.log
  mkdir -p "$build"
  if ! with_progress "$log" cmake --preset "$preset" -S "$root" "$@"; then
    cat "$log" >&2
    return 1
  fi
}

# build_targets [targets...]: shows the steps that are done. After a failure it prints what the compiler says.
build_targets() {
  local targets=("$@") log=$build/build.log
  if ! NINJA_STATUS='[%f/%t] ' with_progress "$log" cmake --build "$build" --parallel ${targets:+--target "${targets[@]}"}; then
    grep -v '^\[' "$log" | tail -n 200 >&2
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
