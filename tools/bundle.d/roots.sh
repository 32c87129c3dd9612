# Shared by tools/bundle.d/try and tools/gpu_check: small roots of Debian releases with software Vulkan, kept in build/roots. Sourced after
# debian_packages.sh, not run.

# root_of SUITE: makes $folder, with a script `run` that enters it, and `version`, unless an earlier run has. On failure, prints why.
root_of() {
  folder=$root/build/roots/$1
  log=$root/build/roots/$1.log
  if [[ ! -e $folder/version ]]; then
    say "$1: fetching a root"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    if ! make_root "$1"; then
      printf '%s\n' "$1: no root: $(<"$folder/reason")" >&2
      return 1
    fi
    rm -rf "$folder/apt"
  fi
}

# make_root SUITE: $folder, with a script `run` that enters it.
make_root() {
  local driver
  unpack_root "$1" libvulkan1 mesa-vulkan-drivers grep sed findutils && run_in_root || return 1
  driver="Mesa $(version_of mesa-vulkan-drivers)"
  if [[ $1 == bullseye ]]; then  # its lavapipe has Vulkan 1.0 only
    add_swiftshader || return 1
    driver="SwiftShader of $swiftshader"
  fi
  printf 'Debian %s, %s\n' "$1" "$driver" >"$folder/version"
}

# A driver that was built for old C libraries, out of a browser for servers; the newer ones in tools/drivers need glibc 2.34.
swiftshader=@sparticuz/chromium@110.0.1
add_swiftshader() {
  local icds=$folder/unpacked/usr/share/vulkan/icd.d archive=package/bin/swiftshader.tar.br
  local decompress='const {readFileSync: read} = require("fs"); process.stdout.write(require("zlib").brotliDecompressSync(read(0)))'
  command -v npm >/dev/null || { because "npm is missing (tools/setup --with-peers)"; return 1; }
  (cd "$folder/apt" && npm pack --ignore-scripts "$swiftshader") >>"$log" 2>&1 || { because "npm cannot fetch $swiftshader; see $log"; return 1; }
  tar -xOf "$folder"/apt/*.tgz "$archive" | node -e "$decompress" | tar -x -C "$folder/unpacked/usr/lib" libvk_swiftshader.so >>"$log" 2>&1 ||
    { because "$swiftshader has no SwiftShader; see $log"; return 1; }
  rm -f "$icds"/*
  icd_file "$icds/swiftshader.json" /usr/lib/libvk_swiftshader.so
}
