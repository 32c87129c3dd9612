// Turns a lack of memory into an error value. All work on the library's threads runs inside catch_out_of_memory().
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>

#include "core/base/result.h"

namespace nnvk {

// Calls `start` and returns its Status or Result; success if it returns nothing. Returns OUT_OF_MEMORY if `start` throws because
// memory runs out.
template <class Start, class Outcome = std::invoke_result_t<Start&>>
std::conditional_t<std::is_void_v<Outcome>, Status, Outcome> catch_out_of_memory(Start&& start) noexcept {
  try {
    if constexpr (std::is_void_v<Outcome>) {
      start();
      return {};
    } else {
      return start();
    }
  } catch (const std::bad_alloc&) {
    return fail_out_of_memory();
  } catch (const std::length_error&) {  // a size that no container has
    return fail_out_of_memory();
  }
}

}  // namespace nnvk
