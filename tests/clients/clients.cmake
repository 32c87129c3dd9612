# Real clients, where they are (tools/setup --with-clients, --with-frameworks). Included by tests/CMakeLists.txt.
# PyTorch: a fallback would hide what a device cannot do.
find_path(NNVK_PYTORCH_NNAPI prepare.py PATHS /usr/lib/python3/dist-packages/torch/backends/_nnapi NO_DEFAULT_PATH)
if(NNVK_PYTORCH_NNAPI AND NOT NNVK_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(pytorch /usr/bin/python3 -W ignore ${CMAKE_CURRENT_SOURCE_DIR}/clients/pytorch/nnapi_backend_test.py
              $<TARGET_FILE:neuralnetworks>)
  add_test(NAME client_pytorch COMMAND ${pytorch})
  add_test(NAME client_pytorch_on_cpu COMMAND ${pytorch})
  set_tests_properties(client_pytorch client_pytorch_on_cpu PROPERTIES FAIL_REGULAR_EXPRESSION "falling back")
  set_tests_properties(client_pytorch_on_cpu PROPERTIES ENVIRONMENT NNVK_CPU_ONLY=1)
endif()
# Stock frameworks as programs use them.
set(stock ${PROJECT_SOURCE_DIR}/tools/stock_frameworks)
# ONNX Runtime's provider: its parts, then all of it inside the stock runtime of an npm package.
if(TARGET nnvk_onnxruntime_parts)
  nnvk_test(test_onnxruntime_parts clients/onnxruntime/parts nnvk_onnxruntime_parts)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
  set(machine arm64)
else()
  set(machine x64)
endif()
find_file(NNVK_STOCK_ONNXRUNTIME libonnxruntime.so.1 NO_DEFAULT_PATH
  PATHS ${PROJECT_SOURCE_DIR}/build/frameworks/npm/node_modules/onnxruntime-node/bin/napi-v6/linux/${machine})
if(TARGET nnvk_onnxruntime AND NNVK_STOCK_ONNXRUNTIME)
  nnvk_test(test_onnxruntime clients/onnxruntime/runtime ${CMAKE_DL_LIBS})
  target_sources(test_onnxruntime PRIVATE ${stock}/onnx_runtime.cpp)
  target_include_directories(test_onnxruntime SYSTEM PRIVATE ${ONNXRUNTIME_INCLUDE_DIR})
  add_dependencies(test_onnxruntime nnvk_onnxruntime)
  target_compile_definitions(test_onnxruntime PRIVATE NNVK_ONNXRUNTIME_LIBRARY="${NNVK_STOCK_ONNXRUNTIME}"
                                                      NNVK_ONNXRUNTIME_PROVIDER="$<TARGET_FILE:nnvk_onnxruntime>")
  # The block for C of docs/clients.md, as it stands there.
  if(NOT NNVK_SANITIZE)
    add_test(NAME documented_onnxruntime COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/clients/onnxruntime/documented_blocks.py
      ${PROJECT_SOURCE_DIR}/docs/clients.md $<TARGET_FILE:nnvk_onnxruntime> ${NNVK_STOCK_ONNXRUNTIME} ${ONNXRUNTIME_INCLUDE_DIR})
    set_tests_properties(documented_onnxruntime PROPERTIES ENVIRONMENT "${no_calibration}")
  endif()
  # A program for comparisons of whole models (perf/frameworks).
  add_executable(nnvk_onnxruntime_models EXCLUDE_FROM_ALL clients/onnxruntime/models/main.cpp clients/models/measurement.cpp
    ${stock}/onnx_runtime.cpp)
  target_link_libraries(nnvk_onnxruntime_models PRIVATE nnvk_options ${CMAKE_DL_LIBS})
  target_include_directories(nnvk_onnxruntime_models SYSTEM PRIVATE ${ONNXRUNTIME_INCLUDE_DIR})
  add_dependencies(nnvk_onnxruntime_models nnvk_onnxruntime)
  # ONNX's node tests, which importers/onnx/node_tests/export.py writes for the importer's own tests.
  if(TARGET onnx_node_tests AND NOT NNVK_SANITIZE)
    add_executable(nnvk_onnx_node_tests clients/onnxruntime/node_tests/main.cpp ${stock}/onnx_runtime.cpp
      importers/onnx/node_tests/stored_case.cpp)
    target_link_libraries(nnvk_onnx_node_tests PRIVATE nnvk_options nnvk_onnx_files ${CMAKE_DL_LIBS})
    target_include_directories(nnvk_onnx_node_tests SYSTEM PRIVATE ${ONNXRUNTIME_INCLUDE_DIR})
    add_dependencies(nnvk_onnx_node_tests nnvk_onnxruntime)
    foreach(device nnvk-cpu vulkan)
      add_test(NAME onnx_node_tests_through_onnxruntime_${device} COMMAND nnvk_onnx_node_tests ${NNVK_STOCK_ONNXRUNTIME}
        $<TARGET_FILE:nnvk_onnxruntime> ${node_tests} ${device} 440)
      set_tests_properties(onnx_node_tests_through_onnxruntime_${device} PROPERTIES FIXTURES_REQUIRED onnx_node_tests
        ENVIRONMENT "${no_calibration}")
    endforeach()
  endif()
endif()

# What the plugins share, TensorFlow Lite's delegate without TensorFlow Lite, then all of it inside the stock runtime of an npm package.
if(TARGET nnvk_clients)
  nnvk_test(test_clients clients nnvk_clients)
endif()
if(TARGET nnvk_tflite_delegate_parts)
  nnvk_test(test_tflite_delegate clients/tflite_delegate nnvk_tflite_delegate_parts)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
  set(machine linux_arm64)
else()
  set(machine linux_amd64)
endif()
set(tflite_node ${PROJECT_SOURCE_DIR}/build/frameworks/npm-tflite/node_modules/tfjs-tflite-node/cc_deps/${machine})
find_file(NNVK_STOCK_TENSORFLOWLITE libtensorflowlite_c.so NO_DEFAULT_PATH PATHS ${tflite_node})
find_file(NNVK_STOCK_EXTERNAL_DELEGATE libexternal_delegate_obj.so NO_DEFAULT_PATH PATHS ${tflite_node})
if(TARGET nnvk_tflite_delegate AND NNVK_STOCK_TENSORFLOWLITE AND NNVK_STOCK_EXTERNAL_DELEGATE)
  nnvk_test(test_tflite_runtime clients/tflite_delegate/runtime nnvk_importers ${CMAKE_DL_LIBS} Threads::Threads)
  file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/importers/tflite/*_case*.cpp)
  target_sources(test_tflite_runtime PRIVATE ${cases} ${stock}/tensorflow_lite.cpp ${CMAKE_CURRENT_SOURCE_DIR}/importers/tflite/model_file.cpp)
  target_include_directories(test_tflite_runtime SYSTEM PRIVATE ${TENSORFLOW_LITE_INCLUDE_DIR})
  set(tflite_libraries NNVK_TENSORFLOWLITE_C="${NNVK_STOCK_TENSORFLOWLITE}" NNVK_TFLITE_DELEGATE="$<TARGET_FILE:nnvk_tflite_delegate>")
  target_compile_definitions(test_tflite_runtime PRIVATE ${tflite_libraries}
    NNVK_EXTERNAL_DELEGATE="${NNVK_STOCK_EXTERNAL_DELEGATE}")
  add_dependencies(test_tflite_runtime nnvk_tflite_delegate)
  # A program for comparisons of whole models (perf/frameworks).
  add_executable(nnvk_tflite_models EXCLUDE_FROM_ALL clients/tflite_delegate/models/main.cpp clients/models/measurement.cpp
    clients/tflite_delegate/runtime/stock_interpreter.cpp ${stock}/tensorflow_lite.cpp)
  target_link_libraries(nnvk_tflite_models PRIVATE nnvk_options ${CMAKE_DL_LIBS})
  target_include_directories(nnvk_tflite_models SYSTEM PRIVATE ${TENSORFLOW_LITE_INCLUDE_DIR})
  target_compile_definitions(nnvk_tflite_models PRIVATE ${tflite_libraries})
  add_dependencies(nnvk_tflite_models nnvk_tflite_delegate)
  if(NOT NNVK_SANITIZE)  # a sanitizer's library wants to be loaded first
    add_test(NAME tflite_documentation COMMAND /usr/bin/python3
      ${CMAKE_CURRENT_SOURCE_DIR}/clients/tflite_delegate/documentation_test.py ${PROJECT_SOURCE_DIR}/docs/clients.md
      $<TARGET_FILE:nnvk_tflite_delegate> ${tflite_node} ${tflite_node}/../include ${PROJECT_SOURCE_DIR}/models/digits_quant.tflite)
  endif()
endif()
