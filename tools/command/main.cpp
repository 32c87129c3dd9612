// `nnvk`: runs models, measures and tests through the library's public C API.
#include "tools/command/command_line.h"

int main(int argc, char** argv) { return nnvk::tools::run_command_line(argc, argv); }
