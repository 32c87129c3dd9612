// Identifies the queue of a device in this process.
#pragma once

#include <atomic>
#include <cstdint>

namespace nnvk {

// The number of a queue. A submission's place may outlive its queue, so no two queues ever have the same number; addresses could
// repeat.
enum class QueueId : uint64_t { kNone = 0 };

// Returns a number that no other queue has. Thread-safe.
inline QueueId new_queue_id() {
  static std::atomic<uint64_t> last{0};
  return QueueId{++last};
}

}  // namespace nnvk
