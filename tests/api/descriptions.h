// The library's descriptions of itself (nnvk/diagnostics.h), as JSON.
#pragma once

#include <nnvk/diagnostics.h>

#include <nlohmann/json.hpp>

#include "tests/api/api_objects.h"

namespace nnvk::test {

// Calls `describe(&text)`, one of the functions that return text.
template <class Describe>
nlohmann::json json_of(Describe describe) {
  char* text = nullptr;
  EXPECT_EQ(describe(&text), kOk);
  auto json = nlohmann::json::parse(text != nullptr ? text : "{}", nullptr, false);
  EXPECT_TRUE(json.is_object());
  nnvk_freeString(text);
  return json;
}

inline nlohmann::json describe_devices() {
  return json_of([](char** text) { return nnvk_describeDevices(false, text); });
}

// For all devices.
inline nlohmann::json explain(const ModelBuilder& model) {
  return json_of([&](char** text) { return nnvk_explainModel(model.get(), nullptr, 0, text); });
}

inline nlohmann::json describe(const CompilationPointer& compilation) {
  return json_of([&](char** text) { return nnvk_describeCompilation(compilation.get(), text); });
}

inline nlohmann::json describe(const ExecutionPointer& execution) {
  return json_of([&](char** text) { return nnvk_describeExecution(execution.get(), text); });
}

}  // namespace nnvk::test
