// Manifests: the JSON files that list the plugins. Parsing is pure; manifest_search.h finds the files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nnvk::accelerators {

// The process that runs a plugin's code.
enum class Isolation : uint8_t {
  kProcess,    // its own host process: a crash is an error code
  kInProcess,  // ours
};

// Returns "process" or "in-process".
const char* isolation_name(Isolation isolation);

struct Manifest {
  std::string file;            // the manifest itself; an absolute path
  std::string name;            // of the plugin, for people; letters, digits and "._-"
  std::string driver_library;  // an absolute path, or a bare name that the loader finds
  Isolation isolation = Isolation::kProcess;
  // The system calls that the host process may make (isolation kProcess): "strict", or a profile that a GPU driver needs.
  std::string seccomp = "strict";
  // The time limit for a call without a deadline, after which the host process counts as hung (isolation kProcess). It applies to
  // an execution, a compilation, a query of supported operations, and the start up to the list of devices.
  unsigned patience_seconds = 60;
  // How long the first use of the library waits for the plugin's devices. The library adds devices that appear later.
  unsigned load_patience_seconds = 2;
  // Limits and files of the host process beyond its profile (isolation kProcess). Zero means the host's default.
  unsigned memory_megabytes = 0;
  unsigned threads = 0;
  std::vector<std::string> readable;  // files and folders; absolute paths, as in the next two
  std::vector<std::string> writable;
  std::vector<std::string> devices;  // device nodes
  bool enabled = true;
};

// Parses `text`, the content of `file`. Relative libraries are in the folder of `file`. BAD_DATA names the file, the error and
// the remedy. Unknown fields are errors too, because they are probably misspelt.
Result<Manifest> parse_manifest(const std::string& file, std::string_view text);

}  // namespace nnvk::accelerators
