# Sourced by tools/drivers: builds Mesa's drm-shim, a preloaded library that stands for the kernel's driver of a GPU. Behind it Mesa's
# Vulkan drivers open and compile for a GPU that is not there; nothing executes. Debian does not package it. The compiler is called
# directly, because Mesa's own build would need meson, bison, flex and more for the 20 files that the shim consists of.

shim_source=25.0.7  # of Debian 13; newer drivers open behind it, too
shim_suite=trixie

# What Mesa's meson.build finds out about a Debian system, as far as these files ask.
shim_definitions=(-D_GNU_SOURCE -DNDEBUG -DDETECT_OS_LINUX=1 -DMAJOR_IN_SYSMACROS -DUSE_GCC_ATOMIC_BUILTINS
  -DHAVE_{PTHREAD,LIBDRM,MEMFD_CREATE,POSIX_MEMALIGN,STRUCT_TIMESPEC,FLOCK,ENDIAN_H,DLFCN_H,PROGRAM_INVOCATION_NAME,SECURE_GETENV}
  -DHAVE___BUILTIN_{FFS,FFSLL,CLZ,CLZLL,CTZ,EXPECT,POPCOUNT,POPCOUNTLL,UNREACHABLE,TYPES_COMPATIBLE_P,BSWAP32,BSWAP64}
  -DHAVE_FUNC_ATTRIBUTE_{PACKED,UNUSED,VISIBILITY,FORMAT})
shim_common=(drm-shim/{device,drm_shim}.c c11/impl/threads_posix.c
  util/{anon_file,hash_table,log,os_misc,parson,ralloc,rand_xor,set,simple_mtx,u_call_once,u_debug,u_printf,u_process,vma}.c)
declare -A shim_own=(
  [intel]="intel/tools/intel_noop_drm_shim.c intel/dev/intel_device_info.c intel/dev/intel_hwconfig.c intel/dev/intel_kmd.c
    intel/dev/i915/intel_device_info.c intel/dev/xe/intel_device_info.c generated/intel_wa.c generated/serialize.c"
  [nouveau]="nouveau/drm-shim/nouveau_noop.c")

# shim_sources: Mesa's source and what reads and generates it, in $folder/source and $folder/beside.
shim_sources() {
  local name archive=$folder/apt/cache/archives
  apt_for bookworm || return 1
  for name in libdrm-dev python3-mako python3-markupsafe; do package_alone "$name" || return 1; done
  unpack "$folder/beside" || return 1
  apt_for "$shim_suite" || return 1
  source_alone mesa "$shim_source" || return 1
  mkdir -p "$folder/source"
  tar -xf "$archive/mesa_$shim_source.orig.tar.xz" -C "$folder/source" --strip-components=1 --wildcards \
    '*/include' '*/src/'{drm-shim,util,c11,compiler,gallium,intel,nouveau} >>"$log" 2>&1 &&
    patch -d "$folder/source" -p1 <"$root/tools/drivers.d/drm_shim.patch" >>"$log" 2>&1 ||
    { because "the source of Mesa $shim_source cannot be unpacked and changed; see $log"; return 1; }
}

# shim_generated: the files that Mesa's build makes of tables. Included as <intel/dev/...>.
shim_generated() {
  local source=$folder/source/src
  local dev=$source/intel/dev to=$source/generated
  mkdir -p "$to/intel/dev"
  local -x PYTHONPATH=$folder/beside/usr/lib/python3/dist-packages
  {
    /usr/bin/python3 "$dev/gen_wa_helpers.py" "$dev/mesa_defs.json" "$to/intel/dev/intel_wa.h" "$to/intel_wa.c" &&
      /usr/bin/python3 "$dev/intel_device_info_gen_h.py" "$to/intel/dev/intel_device_info_gen.h" &&
      /usr/bin/python3 "$dev/intel_device_info_serialize_gen_c.py" "$to/serialize.c"
  } >>"$log" 2>&1 || { because "Mesa's tables of Intel's GPUs cannot be read; see $log"; return 1; }
}

# make_drm-shim: $folder/intel.so and $folder/nouveau.so.
make_drm-shim() {
  shim_sources && shim_generated || return 1
  local kind
  for kind in "${!shim_own[@]}"; do
    (
      cd "$folder/source/src"
      gcc -std=gnu11 -w -O1 -fPIC -shared -fvisibility=hidden -ffunction-sections -fdata-sections "${shim_definitions[@]}" \
        -I. -I../include -Igallium/include -Iintel -Iintel/dev -Igenerated -Igenerated/intel -Igenerated/intel/dev \
        -I"$folder/beside/usr/include" -I"$folder/beside/usr/include/libdrm" "${shim_common[@]}" ${shim_own[$kind]} \
        -Wl,--gc-sections,--no-undefined -ldl -lm -lpthread -o "$folder/$kind.so"
    ) >>"$log" 2>&1 || { because "Mesa's drm-shim for $kind cannot be built; see $log"; return 1; }
  done
  rm -rf "$folder/source" "$folder/beside"
  printf 'drm-shim of Mesa %s\n' "$shim_source" >"$folder/version"
}
