# The Debian packages: `cpack` in the build folder makes them. Each holds one component of the rules of installation. Included at the end of
# the root CMakeLists.txt, because CPack looks at all these rules.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/nnvk COMPONENT runtime)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nnvk)
set(CPACK_PACKAGE_CONTACT "the nnvk project")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# dpkg-shlibdeps names the packages of shared libraries. It knows nothing of those that are made here.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # also makes dpkg call ldconfig
set(CPACK_SUPPRESS_DEV_WARNINGS ON)
set(nnvk_same "(= ${PROJECT_VERSION})")
# The number is the version in the library's SONAME (preset "packages").
set(nnvk_runtime libneuralnetworks)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS libneuralnetworks1)
if(NNVK_VERSIONED_SONAME)
  set(nnvk_runtime libneuralnetworks1)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS libneuralnetworks)
endif()

# nnvk_package(component name section depends text): the first line of the text is the package's title.
function(nnvk_package component name section depends text)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ${depends} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION ${text} PARENT_SCOPE)
  # Debian looks for the licence under each package's own name.
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# The link libneuralnetworks.so is in the library's own package: frameworks open that name at run time, as on Android.
nnvk_package(runtime ${nnvk_runtime} libs "" "Android's Neural Networks API on Vulkan and CPUs
Holds libneuralnetworks.so, which frameworks that use NNAPI load unchanged, and libnativewindow.so, which shares buffers with cameras,
decoders and other processes.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers, libnnvk-plugins ${nnvk_same}")
# The CMake package names all libraries, and checks that they are there.
nnvk_package(development libneuralnetworks-dev libdevel "${nnvk_runtime} ${nnvk_same}, libnnvk-plugins ${nnvk_same}"
  "Android's Neural Networks API on Vulkan and CPUs: headers
Holds the headers, the CMake package nnvk and the pkg-config file nnvk.")
nnvk_package(plugins libnnvk-plugins libs "${nnvk_runtime} ${nnvk_same}" "plugins of and for nnvk
Holds the Support Library libneuralnetworks_sl.so, the process that plugins of NPUs run in, a sample of such a plugin, and the plugins
for ONNX Runtime and TensorFlow Lite if they were built.")
if(NNVK_BUILD_TOOLS)
  nnvk_package(tools nnvk-tools utils "${nnvk_runtime} ${nnvk_same}" "runs, measures and checks neural networks on Vulkan and CPUs
Holds the command nnvk, which runs .onnx and .tflite files, and nnvk-conformance, which tests whether a GPU's driver computes right,
with its vectors and small models.")
  set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "libnnvk-plugins ${nnvk_same}")
endif()
if(TARGET gstnnvk)
  # CPack's dpkg-shlibdeps names the packages of GStreamer's libraries.
  nnvk_package(gstreamer gstreamer1.0-nnvk libs "${nnvk_runtime} ${nnvk_same}" "neural networks on Vulkan and CPUs, for GStreamer
Holds the elements nnvkinfer, nnvkoverlay, nnvksegment and nnvkupscale, which run .onnx and .tflite files on video.")
  set(CPACK_DEBIAN_GSTREAMER_PACKAGE_RECOMMENDS "nnvk-tools ${nnvk_same}")
endif()
if(TARGET nnvk_python)
  # The extension module fits one version of Python alone.
  nnvk_package(python python3-nnvk python
    "python3 (>= ${NNVK_PYTHON_VERSION}), python3 (<< ${NNVK_NEXT_PYTHON_VERSION}), python3-numpy, ${nnvk_runtime} ${nnvk_same}"
    "neural networks on Vulkan and CPUs, for Python
Runs .onnx and .tflite files through Android's Neural Networks API.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "libnnvk-plugins ${nnvk_same}")
endif()
include(CPack)
