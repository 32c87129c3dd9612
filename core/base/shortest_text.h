// Numbers in messages.
#pragma once

#include <charconv>
#include <concepts>
#include <string>

namespace nnvk {

// Returns the shortest text that reads back as this number: "0.1", "1e-09", "inf". std::to_string would write 1e-09 as 0.000000.
template <std::floating_point Number>
std::string shortest_text(Number number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace nnvk
