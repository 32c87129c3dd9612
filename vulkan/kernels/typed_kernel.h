// What the generated <family>_kernels.h are made of: kernels that know the names of what they take, and dispatches that know
// their parameters.
#pragma once

#include <concepts>
#include <span>

#include "vulkan/kernels/dispatch.h"

namespace nnvk::vulkan {

// A member that an aggregate's initialiser must name. bool and numbers do not stand for each other.
template <class T>
struct Required {
  template <class U>
  requires(std::convertible_to<U, T>&& std::same_as<U, bool> == std::same_as<T, bool>) constexpr Required(U given)
      : value(given) {}  // NOLINT: implicit, so that members are written like plain ones
  constexpr operator const T&() const { return value; }

  T value;
};

// A kernel of the table and the names of what it takes. `Shape` is generated: Params (push constants), Specialization and
// Bindings, of which both give their members in_order() of their numbers. Kernels whose names all agree share one shape, so that
// either may be chosen where a program runs.
template <class Shape>
struct TypedKernel {
  KernelId id{};
};

// The Params of a kernel without push constants.
struct NoParams {};

// A dispatch whose push constants are `Params`.
template <class Params>
struct DispatchOf : Dispatch {
  void set_params(const Params& given) {
    static_assert(sizeof(Params) <= 128, "larger parameters belong in a buffer");
    const auto bytes = std::as_bytes(std::span(&given, 1));
    params.assign(bytes.begin(), bytes.end());
  }
};

}  // namespace nnvk::vulkan
