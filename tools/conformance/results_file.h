// The record of a conformance run: a header line with its provenance, a JSON line per case, and a last line with its duration.
// One process writes it.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/conformance/provenance.h"
#include "tools/conformance/runner.h"

namespace nnvk::tools::conformance {

// One line of the file.
struct Record {
  std::string name;  // dotted
  std::string family;
  std::string device;
  std::string variant;  // as in Subject
  Outcome outcome;      // of the last attempt; a case that passed after failures keeps the message of the last one
  double seconds = 0;
  int attempts = 1;
  std::string type{};  // of its tensors, as in generated cases' names; "" if they have several, or if it is unknown

  // Returns whether the case failed, and passed when it was tried again.
  bool is_flaky() const { return outcome.verdict == Verdict::kPassed && attempts > 1; }
};

// The records below one header line.
struct Section {
  Provenance provenance;
  std::vector<Record> records;
};

// Reads a results file. Files of older versions have less provenance. Leaves out a last line without its end: its writer died.
// Records above the first header, as older versions of nnvk wrote them, are in a section without provenance. Fails if the file
// cannot be read, or is no results file.
Result<std::vector<Section>> read_results(const std::filesystem::path& path);

class ResultsFile {
 public:
  ResultsFile() = default;
  ~ResultsFile() { close(); }
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  // Opens and locks the file, then empties it or, with `resume`, reads what it holds (earlier()). An error if another process has
  // locked it. A file that was never opened takes all lines and writes nothing.
  Status open(const std::filesystem::path& path, bool resume);
  const std::vector<Section>& earlier() const { return earlier_; }

  // These functions append a line. An error means that the disk is full, for example. The object then keeps the line, and tries
  // again when it appends the next one.
  Status begin(const Provenance& provenance);
  Status add(const Record& record);
  // Appends how long the run took that began last.
  Status end(double seconds);

  // Tries again to append the lines that the object keeps.
  Status flush();
  // Returns how many lines the object keeps because they could not be written.
  size_t unwritten() const { return kept_.size(); }

  // Closes the file and its lock, also in a child process that must not hold them.
  void close();

 private:
  Status append(std::string line);

  int file_ = -1;
  std::filesystem::path path_;
  std::vector<Section> earlier_;
  std::deque<std::string> kept_;  // the first one may be the rest of a line
};

}  // namespace nnvk::tools::conformance
