// The output of --json.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tools/command/version.h"

namespace nnvk::tools {

// Returns the text of an object, with a member that names this program: {"nnvk": {"version": "0.1.0", "commit": "0123456789ab"}}.
// Bytes that are no UTF-8, as drivers may report them, are replaced.
template <class Json>
std::string json_text(Json object) {
  object["nnvk"] = {{"version", nnvk_version()}, {"commit", nnvk_commit()}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class Json>
void print_json(Json object) {
  fmt::print("{}", json_text(std::move(object)));
}

}  // namespace nnvk::tools
