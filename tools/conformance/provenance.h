// The provenance of results: which nnvk ran which cases, on which device, with which driver and options. Every report holds it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools::conformance {

// The conditions of results. Results of different conditions prove nothing about each other.
struct Subject {
  std::string device;    // its name
  std::string driver;    // the version that the device reports
  std::string variant;   // "texel" or "words" on Vulkan devices, and the requested forms of kernels; else ""
  std::string settings;  // the options that decide what a case computes

  bool operator==(const Subject&) const = default;
};

// A named fact: a property that the library reports about a device, or a line of facts().
struct Property {
  std::string group;  // "driver", "limits", ...
  std::string name;
  std::string value;

  bool operator==(const Property&) const = default;
};

struct Provenance {
  Subject subject{};
  std::vector<Property> properties{};  // of the device: ids, limits, features and the driver, as `nnvk devices` prints them
  std::string nnvk{};                  // "0.1.0"
  std::string commit{};                // of the sources; "unknown" if they were built outside a checkout
  std::string vectors{};               // the folder or file, as in --vectors; "" without vectors
  std::string vectors_digest{};        // vectors_digest()
  uint64_t seed = 0;
  std::string kernels{};      // the requested forms of kernels, as in --kernels
  size_t cases = 0;           // chosen ones, whether or not they have a result
  std::string options{};      // the command line as the user wrote it
  std::string environment{};  // the variables that concern nnvk and Vulkan: "NAME=VALUE NAME=VALUE"
  std::string command{};      // runs the chosen cases in this variant on this device; with --case a single one
  std::string started{};      // UTC, as in "2026-11-30T09:21:00Z"
  double seconds = 0;         // of the clock on the wall; 0 in a record whose run has not ended

  bool operator==(const Provenance&) const = default;
};

// Writes an object for a results file and for --json, and reads it back. Members that are missing, as in files of older versions,
// stay empty.
nlohmann::ordered_json to_json(const Provenance& provenance);
Provenance provenance_from(const nlohmann::json& object);

// Returns the provenance of a variant's run; null if there is none.
const Provenance* provenance_of(const std::vector<Provenance>& provenances, const std::string& variant);

// Lists the facts in the order in which people read them: those of the run, then the device's properties. Leaves out empty ones.
std::vector<Property> facts(const Provenance& provenance);

// Returns the SHA-256 over the names and the contents of all vector files at `path`, as 64 hexadecimal digits. It does not depend
// on the place of the files.
Result<std::string> vectors_digest(const std::filesystem::path& path);

// Returns the version of nnvk: "0.1.0 (commit 0123456789ab)"; "" for records of versions that did not name themselves.
std::string version_text(const Provenance& provenance);

// Returns the command that runs a single case of this run.
std::string command_for(const Provenance& provenance, const std::string& case_name);

}  // namespace nnvk::tools::conformance
