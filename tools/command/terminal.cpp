#include "tools/command/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace nnvk::tools {
namespace {

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// The parameter of the terminal's escape sequence.
int code_of(Colour colour) {
  switch (colour) {
    case Colour::kRed:
      return 31;
    case Colour::kGreen:
      return 32;
    case Colour::kYellow:
      return 33;
    case Colour::kBold:
      return 1;
  }
  return 0;
}

}  // namespace

bool shows_colours(std::FILE* output) {
  if (is_set("NO_COLOR")) return false;
  if (const char* const force = std::getenv("CLICOLOR_FORCE"); force != nullptr && *force != '\0' && *force != '0') return true;
  const bool is_able = is_set("TERM") && std::string_view(std::getenv("TERM")) != "dumb";
  return is_able && ::isatty(::fileno(output)) != 0;
}

std::string coloured(std::FILE* output, Colour colour, std::string_view text) {
  return shows_colours(output) ? fmt::format("\033[{}m{}\033[0m", code_of(colour), text) : std::string(text);
}

std::string coloured_verdict(std::FILE* output, std::string_view verdict) {
  const bool is_good = verdict == "passed" || verdict == "good" || verdict == "better";
  const bool is_bad = verdict == "failed" || verdict == "bad" || verdict == "worse";
  return coloured(output, is_good ? Colour::kGreen : is_bad ? Colour::kRed : Colour::kYellow, verdict);
}

}  // namespace nnvk::tools
