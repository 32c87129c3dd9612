// Two patterns of Vulkan's interface: structs that name their type, and lists that two calls fetch.
#pragma once

#include <volk.h>

#include <vector>

namespace nnvk::vulkan {

// Returns a struct of this type with everything else zero.
template <class T>
T vulkan_struct(VkStructureType type) {
  T made{};
  made.sType = type;
  return made;
}

// Calls query(&count, nullptr) for the number of items, then again for the items. Returns none after an error. `empty`: an item
// before the query fills it, for structs that name their type.
template <class T, class Query>
std::vector<T> enumerate(const Query& query, const T& empty = {}) {
  uint32_t count = 0;
  if (query(&count, nullptr) != VK_SUCCESS) return {};
  std::vector<T> items(count, empty);
  if (query(&count, items.data()) < 0) return {};
  items.resize(count);
  return items;
}

}  // namespace nnvk::vulkan
