// Where memory that runs out becomes an error like others: around everything that threads of the library do.
#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include "core/base/result.h"

namespace nnvk {

// What `start`, which returns a Status or Result, returns; OUT_OF_MEMORY when it throws for want of memory.
template <class Start>
auto catch_out_of_memory(Start&& start) noexcept -> decltype(start()) {
  try {
    return start();
  } catch (const std::bad_alloc&) {
    return fail_out_of_memory();
  } catch (const std::length_error&) {  // a size that no container has
    return fail_out_of_memory();
  }
}

}  // namespace nnvk
