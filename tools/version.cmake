# Writes a C++ file with the version and the commit of the sources, which `nnvk --version` and all reports name:
#   cmake -DOUTPUT=file.cpp -DSOURCES=folder -DVERSION=1.2.3 -DCOMMIT=text -P version.cmake
# COMMIT is for sources outside a checkout, such as packages; in a checkout it may be empty. Runs with every build, so that the commit
# is the one that was built; the file changes only if its text does. Run by tools/CMakeLists.txt.
cmake_minimum_required(VERSION 3.25)
if(COMMIT STREQUAL "")
  find_program(GIT git)
  set(top "")
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCES} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(top STREQUAL SOURCES)  # not another checkout around these sources
    execute_process(COMMAND ${GIT} -C ${SOURCES} describe --always --abbrev=12 --exclude=* --dirty=-modified
      OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(COMMIT STREQUAL "")
  set(COMMIT unknown)
endif()
set(text "// Made by version.cmake.\n#include \"tools/command/version.h\"\nnamespace nnvk::tools {\n")
string(APPEND text "const char* nnvk_version() { return \"${VERSION}\"; }\nconst char* nnvk_commit() { return \"${COMMIT}\"; }\n}  // namespace nnvk::tools\n")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${text}" @ONLY)  # leaves a file that is the same alone
