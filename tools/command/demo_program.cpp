// `nnvk_demo`: the commands of `nnvk` that tools/demo runs. It reads .tflite files alone, so that it takes half as long to build.
#include <csignal>

#include "importers/tflite/importer.h"
#include "tools/command/command_line.h"
#include "tools/command/model_file.h"

namespace nnvk::tools {

Result<importers::ImportedModel> import_model_file(const std::filesystem::path& path, const importers::ImportOptions& options) {
  if (path.extension() == ".onnx") return fail(path.string() + ": nnvk_demo reads no .onnx files; nnvk does");
  return importers::tflite::import_file(path, options);
}

}  // namespace nnvk::tools

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // as in `nnvk`
  return nnvk::tools::run_command_line(argc, argv, {nnvk::tools::add_run_commands});
}
