// Deadlines of runs that wait for the device, looked at by the one thread that waits for it. Pure. Thread-safe.
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
  // Called when its time has come; throws nothing. Returns when to call again; nothing: never.
  using Look = std::function<std::optional<Time>()>;

  // A number of its own for each who wants to be called.
  uint64_t next_id() { return ++last_id_; }
  void add(uint64_t id, Time when, Look look);
  // May be called once more if that has begun. Nothing for an id that is not there.
  void remove(uint64_t id);
  // Calls those whose time has come, without a lock.
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
