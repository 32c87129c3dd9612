// The record of a conformance run: a JSON line per case, written in such a way that after a crash the file names the case.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/runner.h"

namespace nnvk::tools::conformance {

// One line of the file.
struct Record {
  std::string name;  // dotted
  std::string family;
  std::string device;
  std::string variant;  // "texel" or "words" on Vulkan devices, else ""
  Outcome outcome;
  double seconds = 0;
};

class ResultsFile {
 public:
  ResultsFile() = default;
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  // Starts a new file, or with `resume` continues one; finished() then has the earlier results. A case that was running when the
  // earlier run died counts as failed (kCrashed).
  Status open(const std::filesystem::path& path, bool resume);
  const std::vector<Record>& finished() const { return finished_; }

  // begin() writes the first part of a line (name, family, device, variant), and end() the rest, from the outcome on. Both return
  // only when their part is in the file.
  Status begin(const Record& record);
  Status end(const Outcome& outcome, double seconds);

 private:
  Status write(const std::string& text);

  int file_ = -1;
  std::filesystem::path path_;
  std::vector<Record> finished_;
};

}  // namespace nnvk::tools::conformance
