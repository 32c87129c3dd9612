// Packed forms of one node's constants. A plan keeps them; the kernels for all its shapes share them.
#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// The packed constants of a plan's kernels. The plan owns the object together with these kernels, and makes the kernels one after
// the other.
class PackedConstants {
 public:
  // Returns the result of `make`, or an earlier result for a kernel of the same node. `form`: everything that Packed depends on
  // besides the node's constants. Returns an empty Packed for a node with only_asks.
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
