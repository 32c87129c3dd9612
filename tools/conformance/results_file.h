// The record of a conformance run: one JSON line per case, written so that a crash loses nothing and names its case.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tools/conformance/runner.h"

namespace nnvk::tools::conformance {

class ResultsFile {
 public:
  ResultsFile() = default;
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  // Starts a new file, or with `resume` goes on with one: earlier results are in finished(), and a case that was running when the
  // earlier run died counts as failed.
  Status open(const std::filesystem::path& path, bool resume);
  const std::map<std::string, Verdict>& finished() const { return finished_; }

  // begin() writes {"case":"...", and end() the rest of the line; both reach the file before they return.
  Status begin(const std::string& name);
  Status end(const Outcome& outcome, double seconds);

 private:
  Status write(const std::string& text);

  int file_ = -1;
  std::filesystem::path path_;
  std::map<std::string, Verdict> finished_;
};

// "passed", "failed", "skipped".
const char* verdict_name(Verdict verdict);

}  // namespace nnvk::tools::conformance
