// The most recently used recordings of a prepared plan, by shapes.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace nnvk::vulkan {

class Recording;

// Keeps recordings by their keys, and evicts the least recently used ones first; running executions keep their recordings alive.
// The cache is thread-safe.
class RecordingCache {
 public:
  static constexpr size_t kCapacity = 8;

  // Returns the recording of a key, which comes from append_resolution_key(); null if there is none.
  std::shared_ptr<Recording> find(std::span<const std::byte> key);
  void insert(std::vector<std::byte> key, std::shared_ptr<Recording> recording);

 private:
  std::mutex mutex_;
  std::list<std::pair<std::vector<std::byte>, std::shared_ptr<Recording>>> entries_;  // most recently used first
};

}  // namespace nnvk::vulkan
