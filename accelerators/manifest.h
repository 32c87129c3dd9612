// Manifests: the JSON files that say which plugins there are. Reading one is pure; finding them is manifest_search.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nnvk::accelerators {

// Where the plugin's code runs.
enum class Isolation : uint8_t {
  kProcess,    // in a host process of its own: a crash is an error code
  kInProcess,  // in ours
};

// "process", "in-process".
const char* isolation_name(Isolation isolation);

struct Manifest {
  std::string file;            // the manifest itself; an absolute path
  std::string name;            // of the plugin, for people; letters, digits and "._-"
  std::string driver_library;  // an absolute path, or a bare name that the loader finds
  Isolation isolation = Isolation::kProcess;
  // Name of the system calls that the host process lets through (isolation kProcess): "strict", or what a driver of a GPU needs.
  std::string seccomp = "strict";
  // How long the host process may take for a call without a deadline before it counts as hung: for an execution, a compilation, a
  // question which operations run, and for being started and telling its devices (isolation kProcess).
  unsigned patience_seconds = 60;
  // How long the first use of the library waits for the plugin's devices. They are added when they are there, also later.
  unsigned load_patience_seconds = 2;
  // What the host process may use and reach beyond its profile (isolation kProcess). Zeros: the host's own limits.
  unsigned memory_megabytes = 0;
  unsigned threads = 0;
  std::vector<std::string> readable;  // files and folders; absolute paths, as in the next two
  std::vector<std::string> writable;
  std::vector<std::string> devices;  // device nodes
  bool enabled = true;
};

// `text` is the content of `file`, whose folder relative libraries are in. BAD_DATA names the file, what is wrong and what to do.
// Fields that nobody knows are errors too: they are misspelt ones.
Result<Manifest> parse_manifest(const std::string& file, std::string_view text);

}  // namespace nnvk::accelerators
