# Included after project() when tools/bundle configures: small libraries are linked statically. Those of which Debian has no static library
# lie in NNVK_BUNDLE_LIBRARIES, where tools/bundle builds them.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
list(PREPEND CMAKE_PREFIX_PATH ${NNVK_BUNDLE_LIBRARIES})
# pkg-config names the folder of Debian's shared one, where CMake looks first.
set(pkgcfg_lib_HWY_hwy ${NNVK_BUNDLE_LIBRARIES}/lib/libhwy.a CACHE FILEPATH "Highway, linked statically")
