// The sample NPU's library, and manifests that name it.
#pragma once

#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace nnvk::test {

// A folder with one manifest.
class NpuManifest {
 public:
  explicit NpuManifest(const std::string& isolation = "in-process", const std::string& library = NNVK_SAMPLE_NPU_LIBRARY) {
    std::ofstream(folder_.file("npu.json")) << R"({"manifest_version": 1, "name": "sample-npu", "library": ")" << library
                                            << R"(", "isolation": ")" << isolation << R"(", "load_patience_seconds": 60})";
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace nnvk::test
