// Deadlines of runs that wait for the device. The one thread that waits for the device checks them. Pure. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace nnvk::vulkan {

class DeadlineWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // A function that look() calls when its time has come. The function returns its next time, or nothing to end; it must not
  // throw.
  using Look = std::function<std::optional<Time>()>;

  // Returns a unique id for add() and remove().
  uint64_t next_id() { return ++last_id_; }
  void add(uint64_t id, Time when, Look look);
  // Removes the entry; ignores unknown ids. If look() already has the entry, look() still calls it, and keeps it until a call
  // returns nothing.
  void remove(uint64_t id);
  // Calls the entries that are due, without holding a lock.
  void look(Time now) noexcept;

 private:
  struct Entry {
    Time when;
    Look look;
  };
  std::atomic<uint64_t> last_id_{0};
  std::mutex mutex_;
  std::map<uint64_t, Entry> entries_;
};

}  // namespace nnvk::vulkan
