#pragma once

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace nnvk::api {

// Hands `json` to the client as malloc'ed text.
inline Status give_text(const nlohmann::ordered_json& json, char** text) {
  const std::string dumped = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  *text = static_cast<char*>(std::malloc(dumped.size() + 1));
  if (*text == nullptr) return fail(Code::kOutOfMemory, "no memory for " + std::to_string(dumped.size()) + " bytes of text");
  std::memcpy(*text, dumped.c_str(), dumped.size() + 1);
  return {};
}

}  // namespace nnvk::api
