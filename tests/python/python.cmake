# The Python package, where it was built (tools/setup --with-python). Included by tests/CMakeLists.txt.
if(TARGET nnvk_python AND NOT NNVK_SANITIZE AND NOT CMAKE_CROSSCOMPILING)  # a sanitizer's library wants to be loaded first
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/python)
  get_target_property(interpreter nnvk_python NNVK_INTERPRETER)
  function(python_test name)
    add_test(NAME ${name} COMMAND ${interpreter} -B ${folder}/${ARGN})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python;${no_calibration}")
  endfunction()
  foreach(name async load run types)
    python_test(python_${name} ${name}_test.py)
  endforeach()
  python_test(python_documentation documentation_test.py ${PROJECT_SOURCE_DIR}/docs/clients.md)
  set_tests_properties(python_documentation PROPERTIES SKIP_RETURN_CODE 77)  # Pillow is not installed
  python_test(python_packages packages_test.py ${PROJECT_BINARY_DIR})
endif()
