// The lines between the process that runs cases and the one that started it. Pure.
#pragma once

#include <string>

#include "tools/conformance/case_queue.h"

namespace nnvk::tools::conformance {

// A message of the process that runs cases.
struct Message {
  enum class Kind {
    kReady,      // the device is open: `device`
    kRefused,    // the process cannot run cases: `text`, `code`
    kStarted,    // it begins the task `index`
    kEnded,      // the case has a result: `outcome`, `seconds`
    kExplained,  // the explanation is `text`
  };

  Kind kind = Kind::kReady;
  size_t index = 0;
  Provenance device{};  // its subject and properties alone
  Outcome outcome{};
  double seconds = 0;
  std::string text{};
  int code = 0;  // an exit code
};

// These functions write a line with its end.
std::string to_line(const Task& task);
std::string to_line(const Message& message);

// These functions parse a line without its end.
Result<Task> parse_task(const std::string& line);
Result<Message> parse_message(const std::string& line);

// Splits a stream of bytes into lines.
class LineReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  // Takes the next whole line, without its end. Returns false if there is none yet.
  bool next(std::string& line);

 private:
  std::string bytes_;
};

}  // namespace nnvk::tools::conformance
