# Headers that the compiler parses once for all libraries, and once for all tests (option NNVK_PRECOMPILED_HEADERS). Included by the root
# CMakeLists.txt. A source still includes all that it uses: clang-tidy and the preset "fuzz" compile without them.
set(nnvk_standard_headers <algorithm> <array> <bit> <chrono> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <set> <span>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <tl/expected.hpp>)

# The target's sources start from the headers that `owner` precompiled. Both need the same compiler options; definitions may differ.
function(nnvk_reuse_headers target owner)
  if(NNVK_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Tells ccache what a precompiled header was made from, so that builds in other folders hit as well: the bytes of it differ by folder.
function(nnvk_describe_headers owner)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${owner}.dir)
  set(made_from "${CMAKE_CXX_COMPILER_VERSION};${CMAKE_CXX_FLAGS};${CMAKE_BUILD_TYPE};${NNVK_SANITIZE};${GTest_VERSION};${ARGN}")
  file(CONFIGURE OUTPUT ${folder}/cmake_pch.hxx.gch.sum CONTENT "${made_from}\n")
endfunction()

function(nnvk_precompile_headers_of_libraries)
  if(NOT NNVK_PRECOMPILED_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/no_code.cpp CONTENT "")
  add_library(nnvk_library_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/no_code.cpp)
  target_link_libraries(nnvk_library_headers PRIVATE nnvk_options tl::expected)
  target_precompile_headers(nnvk_library_headers PRIVATE ${nnvk_standard_headers})
  nnvk_describe_headers(nnvk_library_headers ${nnvk_standard_headers})
  # Libraries of few sources would save less than the headers cost to read.
  foreach(library nnvk_accelerators nnvk_api nnvk_clients nnvk_conformance nnvk_core nnvk_cpu nnvk_driver_table nnvk_importers
                  nnvk_nnapi_client nnvk_onnx_files nnvk_onnxruntime_parts nnvk_plugin_client nnvk_plugin_server nnvk_reports
                  nnvk_tflite_delegate_parts nnvk_tools nnvk_vulkan)
    if(TARGET ${library})
      nnvk_reuse_headers(${library} nnvk_library_headers)
    endif()
  endforeach()
endfunction()

function(nnvk_precompile_headers_of_tests)
  if(NOT NNVK_PRECOMPILED_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/no_tests.cpp CONTENT "int main() { return 0; }\n")
  add_executable(nnvk_test_headers ${CMAKE_CURRENT_BINARY_DIR}/no_tests.cpp)
  target_link_libraries(nnvk_test_headers PRIVATE nnvk_options tl::expected GTest::gtest GTest::gmock)
  target_compile_options(nnvk_test_headers PRIVATE -O1)
  target_precompile_headers(nnvk_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <filesystem> <fstream> ${nnvk_standard_headers})
  nnvk_describe_headers(nnvk_test_headers ${nnvk_standard_headers})
endfunction()
