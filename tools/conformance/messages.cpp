// Messages as arrays in JSON: the kind, then its values.
#include "tools/conformance/messages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace nnvk::tools::conformance {
namespace {

using nlohmann::json;

std::string line_of(const json& values) { return values.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string to_line(const Task& task) { return line_of({static_cast<int>(task.kind), task.index}); }

std::string to_line(const Message& m) {
  const int kind = static_cast<int>(m.kind);
  switch (m.kind) {
    case Message::Kind::kReady:
      return line_of({kind, to_json(m.device)});
    case Message::Kind::kRefused:
      return line_of({kind, m.text, m.code});
    case Message::Kind::kStarted:
      return line_of({kind, m.index});
    case Message::Kind::kEnded:
      return line_of(
          {kind, m.index, static_cast<int>(m.outcome.verdict), static_cast<int>(m.outcome.kind), m.outcome.message, m.seconds});
    case Message::Kind::kExplained:
      return line_of({kind, m.index, m.text});
  }
  return "";
}

Result<Task> parse_task(const std::string& line) {
  const auto values = json::parse(line, nullptr, false);
  if (!values.is_array() || values.size() != 2) return fail(fmt::format("'{:.60}' is no task", line));
  return Task{values[0].get<int>() == 0 ? Task::Kind::kJudge : Task::Kind::kExplain, values[1].get<size_t>()};
}

Result<Message> parse_message(const std::string& line) try {
  const auto values = json::parse(line);
  Message m{.kind = static_cast<Message::Kind>(values.at(0).get<int>())};
  switch (m.kind) {
    case Message::Kind::kReady:
      m.device = provenance_from(values.at(1));
      return m;
    case Message::Kind::kRefused:
      m.text = values.at(1);
      m.code = values.at(2);
      return m;
    case Message::Kind::kStarted:
      m.index = values.at(1);
      return m;
    case Message::Kind::kEnded:
      m.index = values.at(1);
      m.outcome = {static_cast<Verdict>(values.at(2).get<int>()), values.at(4),
                   static_cast<FailureKind>(values.at(3).get<int>())};
      m.seconds = values.at(5);
      return m;
    case Message::Kind::kExplained:
      m.index = values.at(1);
      m.text = values.at(2);
      return m;
  }
  return fail(fmt::format("'{:.60}' is no message", line));
} catch (const json::exception&) {
  return fail(fmt::format("'{:.60}' is no message", line));
}

bool LineReader::next(std::string& line) {
  const size_t end = bytes_.find('\n');
  if (end == std::string::npos) return false;
  line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return true;
}

}  // namespace nnvk::tools::conformance
