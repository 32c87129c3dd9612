// Bindings and results of prepared plans in tests.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::test {

// `values` must outlive the execution.
template <class T>
Binding bind(std::vector<T>& values, Shape shape) {
  Binding binding;
  binding.data = reinterpret_cast<std::byte*>(values.data());
  binding.size = values.size() * sizeof(T);
  binding.shape = std::move(shape);
  return binding;
}

inline Code code_of(const Status& status) { return status ? Code::kNoError : status.error().code; }
template <class T>
Code code_of(const Result<T>& result) {
  return result ? Code::kNoError : result.error().code;
}

// If there is no value, the test fails and ends here, with the error's text.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

}  // namespace nnvk::test
