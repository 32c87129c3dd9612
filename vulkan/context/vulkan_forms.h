// Two forms that recur in Vulkan's interface: structs that name their type, and lists that are asked for in two calls.
#pragma once

#include <volk.h>

#include <vector>

namespace nnvk::vulkan {

// A struct of this type with everything else zero.
template <class T>
T vulkan_struct(VkStructureType type) {
  T made{};
  made.sType = type;
  return made;
}

// The items of a function that is called as query(&count, nullptr) for their number, then for themselves. Empty after an error.
template <class T, class Query>
std::vector<T> enumerate(const Query& query) {
  uint32_t count = 0;
  if (query(&count, nullptr) != VK_SUCCESS) return {};
  std::vector<T> items(count);
  if (query(&count, items.data()) < 0) return {};
  items.resize(count);
  return items;
}

}  // namespace nnvk::vulkan
