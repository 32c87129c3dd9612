// What kernels have packed of the constants of one node: a plan keeps it, and the kernels of all shapes that it runs with share
// it.
#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Owned by the plan, together with the kernels that were made with it. Kernels of one plan are made one after the other.
class PackedConstants {
 public:
  // What `make` returns: made now, or before by a kernel of the same node. `form`: all that a Packed depends on but the node's
  // constants. A kernel that is only asked for has an empty one.
  template <class Packed, class Make>
  static std::shared_ptr<const Packed> of(const KernelNode& node, std::vector<size_t> form, const Make& make) {
    if (node.only_asks) return std::make_shared<const Packed>();
    if (node.packed == nullptr) return std::make_shared<const Packed>(make());
    std::shared_ptr<const void>& kept = node.packed->kept_[{std::type_index(typeid(Packed)), std::move(form)}];
    if (kept == nullptr) kept = std::make_shared<const Packed>(make());
    return std::static_pointer_cast<const Packed>(kept);
  }

 private:
  std::map<std::pair<std::type_index, std::vector<size_t>>, std::shared_ptr<const void>> kept_;
};

}  // namespace nnvk::cpu
