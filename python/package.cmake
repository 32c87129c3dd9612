# The Debian package `python3-nnvk`: `cpack` in the build folder makes it. It holds all that is installed, for Debian's own Python.
# Included at the end of the root CMakeLists.txt, because CPack looks at all rules of installation.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME python3-nnvk)
set(CPACK_PACKAGE_CONTACT "the nnvk project")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "neural networks on Vulkan and CPUs, for Python, C and C++
Runs .onnx and .tflite files through Android's Neural Networks API. Holds libneuralnetworks.so, its plugins for ONNX Runtime and
TensorFlow Lite if they were built, the nnvk command line, and the Python package nnvk.")
# dpkg-shlibdeps names the packages of shared libraries; the extension module fits one version of Python alone.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "python3 (>= ${NNVK_PYTHON_VERSION}), python3 (<< ${NNVK_NEXT_PYTHON_VERSION}), python3-numpy")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers")
include(CPack)
