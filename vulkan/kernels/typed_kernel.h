// The building blocks of the generated <family>_kernels.h: kernels whose bindings and constants have names, and dispatches with
// typed parameters.
#pragma once

#include <concepts>
#include <span>

#include "vulkan/kernels/dispatch.h"

namespace nnvk::vulkan {

// A member that every aggregate initialiser must set. bool and numbers do not convert to each other.
template <class T>
struct Required {
  template <class U>
  requires(std::convertible_to<U, T>&& std::same_as<U, bool> == std::same_as<T, bool>) constexpr Required(U given)
      : value(given) {}  // NOLINT: implicit, so that members are written like plain ones
  constexpr operator const T&() const { return value; }

  T value;
};

// A kernel of the kernel table. `Shape` is generated: Params (push constants), Specialization and Bindings. in_order() of
// Specialization and Bindings returns their members in the order of their numbers. Kernels with the same names share one shape,
// so that a program can choose between them at run time.
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
