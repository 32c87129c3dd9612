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

# nnvk_precompile_headers_for OWNER OPTIONS LIBRARIES...: the headers of these libraries, whose sources get the compiler options as well.
function(nnvk_precompile_headers_for owner options)
  set(libraries "")
  foreach(library ${ARGN})
    if(TARGET ${library})
      target_compile_options(${library} PRIVATE ${options})
      list(APPEND libraries ${library})
    endif()
  endforeach()
  if(NOT NNVK_PRECOMPILED_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/no_code.cpp CONTENT "")
  add_library(${owner} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/no_code.cpp)
  target_link_libraries(${owner} PRIVATE nnvk_options tl::expected)
  target_compile_options(${owner} PRIVATE ${options})
  target_precompile_headers(${owner} PRIVATE ${nnvk_standard_headers})
  nnvk_describe_headers(${owner} ${options} ${nnvk_standard_headers})
  foreach(library ${libraries})
    nnvk_reuse_headers(${library} ${owner})
  endforeach()
endfunction()

# Libraries of few sources would save less than the headers cost to read.
function(nnvk_precompile_headers_of_libraries)
  nnvk_precompile_headers_for(nnvk_library_headers "" nnvk_accelerators nnvk_api nnvk_core nnvk_cpu nnvk_cpu_vectors nnvk_cpu_vectors_here
    nnvk_driver_table nnvk_plugin_client nnvk_plugin_protocol nnvk_plugin_server nnvk_vulkan)
  # Code that runs once per model is small instead of fast: frameworks load the importers, and the compiler needs less time.
  nnvk_precompile_headers_for(nnvk_tool_headers "$<$<CONFIG:Release>:-Os>" nnvk_answers nnvk_clients nnvk_conformance nnvk_image nnvk_importers
    nnvk_nnapi_client nnvk_onnx_files nnvk_onnxruntime_parts nnvk_reports nnvk_run nnvk_run_reports nnvk_tflite_delegate_parts
    nnvk_tflite_importer nnvk_tools)
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
