// The output of --json.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tools/command/invocation.h"
#include "tools/command/version.h"

namespace nnvk::tools {

// Adds the members that every object has.
template <class Json>
Json with_program(Json object) {
  if (!running_command().empty()) object["command"] = running_command();
  object["nnvk"] = {{"version", nnvk_version()}, {"commit", nnvk_commit()}};
  return object;
}

// Returns the text of an object, with the command and this program: {"command": "run", "nnvk": {"version": "0.1.0", "commit":
// "0123456789ab"}}. docs/reference/json.md describes the other members. Bytes that are no UTF-8, as drivers may report them, are
// replaced.
template <class Json>
std::string json_text(Json object) {
  return with_program(std::move(object)).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Prints the same on one line, and at once, so that other programs can read it.
template <class Json>
void print_json_line(Json object) {
  fmt::print("{}\n", with_program(std::move(object)).dump(-1, ' ', false, Json::error_handler_t::replace));
  std::fflush(stdout);
}

template <class Json>
void print_json(Json object) {
  fmt::print("{}", json_text(std::move(object)));
}

}  // namespace nnvk::tools
