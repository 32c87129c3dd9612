# Builds for 64-bit Arm on another machine: Debian's cross compiler, the packages that tools/setup --with-arm unpacked
# (NNVK_ARM64_SYSROOT, by default build/arm64-sysroot), and qemu to run what was built.
if(NOT NNVK_ARM64_SYSROOT)
  if(DEFINED ENV{NNVK_ARM64_SYSROOT})
    set(NNVK_ARM64_SYSROOT $ENV{NNVK_ARM64_SYSROOT})
  else()
    get_filename_component(NNVK_ARM64_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-sysroot ABSOLUTE)
  endif()
endif()
if(NOT EXISTS ${NNVK_ARM64_SYSROOT}/nnvk-packages.txt)
  message(FATAL_ERROR "${NNVK_ARM64_SYSROOT} holds no arm64 packages: run tools/setup --with-arm")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NNVK_ARM64_SYSROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${NNVK_ARM64_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # programs run while building
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})

# QEMU_CPU in the environment says which processor; without it, one that has everything.
find_program(NNVK_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
if(NNVK_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${NNVK_QEMU_AARCH64} -L ${CMAKE_SYSROOT})
endif()
