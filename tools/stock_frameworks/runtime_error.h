// The error of a stock framework.
#pragma once

#include <stdexcept>

namespace nnvk::stock {

// A failed call of a framework, or a library that is not one.
class RuntimeError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace nnvk::stock
