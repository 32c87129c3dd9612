// Identifies the queue of a device in this process.
#pragma once

#include <atomic>
#include <cstdint>

namespace nnvk {

// A submission's place may outlive its queue. So no two queues have the same number, unlike addresses.
enum class QueueId : uint64_t { kNone = 0 };

// Thread-safe.
inline QueueId new_queue_id() {
  static std::atomic<uint64_t> last{0};
  return QueueId{++last};
}

}  // namespace nnvk
