# Manual pages of nnvk and nnvk-conformance, made from their help texts. Included by tools/CMakeLists.txt.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN OR CMAKE_CROSSCOMPILING OR NNVK_SANITIZE)
  message(STATUS "manual pages are not built: help2man is missing (tools/setup --with-bundle), or the programs do not run here")
  return()
endif()
# manual_page(name text help dependency): help2man runs the program `name` in the folder of build outputs, or of scripts, with `help`.
function(nnvk_manual_page name text help dependency)
  set(page ${generated}/${name}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E env "PATH=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}:${CMAKE_CURRENT_SOURCE_DIR}/bundle.d:$ENV{PATH}"
      ${HELP2MAN} --no-info --version-string=${PROJECT_VERSION} --help-option=${help} --name=${text} --output=${page} ${name}
    DEPENDS ${dependency} COMMENT "Making the manual page of ${name}" VERBATIM)
  set(nnvk_pages ${nnvk_pages} ${page} PARENT_SCOPE)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()
nnvk_manual_page(nnvk "neural networks on Vulkan through Android's Neural Networks API" --help-all nnvk)
nnvk_manual_page(nnvk-conformance "tests whether a GPU's driver computes neural networks right" --help
  ${CMAKE_CURRENT_SOURCE_DIR}/bundle.d/nnvk-conformance)
add_custom_target(nnvk_manual_pages ALL DEPENDS ${nnvk_pages})
