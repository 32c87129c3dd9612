# Writes a C++ file with one function that returns a sum over source files and how they are compiled:
#   cmake -DOUTPUT=file.cpp -DNAMESPACE=nnvk -DFUNCTION=name -DFLAGS=text -DSOURCES=a;b -P sources_version.cmake
# What was measured of the code in these files is good as long as the sum stays (calibrations). Run by nnvk_sources_version().
cmake_minimum_required(VERSION 3.25)
set(sums "${FLAGS}")
list(SORT SOURCES)
foreach(source ${SOURCES})
  file(SHA256 "${source}" sum)
  get_filename_component(name "${source}" NAME)
  string(APPEND sums "${name} ${sum}\n")
endforeach()
string(SHA256 version "${sums}")
set(function "const char* ${FUNCTION}()")
set(text "// Made by sources_version.cmake.\nnamespace ${NAMESPACE} {\n${function};\n${function} { return \"${version}\"; }\n}\n")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${text}" @ONLY)  # leaves a file that is the same alone
