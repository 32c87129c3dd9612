// A logical device with its function table, queue and pipeline cache; nnvk or an application owns it. All GPU objects hold a
// reference to it.
#pragma once

#include <volk.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "vulkan/context/application_device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"
#include "vulkan/context/instance.h"
#include "vulkan/context/memory_budget.h"

namespace nnvk::vulkan {

// Gives the right to use the queue: only the holder of the lease may use it. Hold the lease briefly, because other submitting
// threads wait for it.
class QueueLease {
 public:
  // Waits for the queue and locks it. `others`: the application that also uses the queue, or null. Fails if the application's
  // lock_queue fails.
  static Result<QueueLease> take(VkQueue queue, std::mutex& mutex, const ApplicationDevice* others) {
    QueueLease lease(queue, mutex);
    if (others == nullptr || !others->lock_queue) return lease;
    NNVK_TRY(others->lock_queue());
    lease.others_ = others;
    return lease;
  }
  ~QueueLease() {
    if (others_ != nullptr) others_->unlock_queue();
  }
  QueueLease(QueueLease&& other) noexcept
      : lock_(std::move(other.lock_)), queue_(other.queue_), others_(std::exchange(other.others_, nullptr)) {}
  QueueLease& operator=(QueueLease&&) = delete;
  VkQueue queue() const { return queue_; }

 private:
  QueueLease(VkQueue queue, std::mutex& mutex) : lock_(mutex), queue_(queue) {}

  std::unique_lock<std::mutex> lock_;
  VkQueue queue_;
  const ApplicationDevice* others_ = nullptr;  // non-null: the application's lock is held and must be released
};

// An object that holds parts of an application's device and may live longer than the device does.
class OutlivesDevice {
 public:
  virtual ~OutlivesDevice() = default;
  // Releases the parts of the application's device that this object holds. The caller ensures that nothing uses them any more.
  virtual void let_go() = 0;
};

class Context {
 public:
  static Result<std::shared_ptr<Context>> create(std::shared_ptr<Instance> instance, VkPhysicalDevice physical_device,
                                                 DeviceSnapshot snapshot, DevicePlan plan);
  // Uses an application's device: nnvk neither destroys the device nor waits until it is idle. UNAVAILABLE_DEVICE: a function is
  // missing.
  static Result<std::shared_ptr<Context>> adopt(ApplicationDevice application, DeviceSnapshot snapshot, DevicePlan plan);
  // Waits until the device is idle if nnvk owns it.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const VolkDeviceTable& vk() const { return *functions_.load(std::memory_order_acquire); }
  // Returns the table of Vulkan functions, for tests that make calls fail; do not call it while work is running.
  VolkDeviceTable& replaceable_functions() { return table_; }
  VkDevice device() const { return device_; }
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  // Returns false for an application's cache: the application uses that cache concurrently and stores it, and nnvk must not merge
  // into it.
  bool owns_pipeline_cache() const { return owns_pipeline_cache_; }
  const DeviceSnapshot& snapshot() const { return snapshot_; }
  const DevicePlan& plan() const { return plan_; }
  bool debug_labels() const { return instance_ != nullptr && instance_->has_debug_labels(); }
  // Returns false if the device has no queue: nnvk then only records commands, which the application submits.
  bool has_queue() const { return queue_ != VK_NULL_HANDLE; }
  Result<QueueLease> lease_queue() { return QueueLease::take(queue_, queue_mutex_, application()); }
  // Returns the allocator for all objects made on the device; null means Vulkan's own.
  const VkAllocationCallbacks* allocator() const;
  // Returns the application's device, or null if nnvk owns the device.
  const ApplicationDevice* application() const { return application_ ? &*application_ : nullptr; }
  MemoryBudget& memory_budget() { return budget_; }
  // Returns the queue families that use nnvk's buffers.
  std::span<const uint32_t> families() const;

  // Returns success for VK_SUCCESS, else vulkan_error(). Also remembers that the device is lost if `result` reports it.
  Status status(VkResult result, std::string_view what, std::source_location raised_at = std::source_location::current()) const;
  // Returns `result`, for calls whose failure is not an error. Also remembers that the device is lost if `result` reports it.
  VkResult noted(VkResult result) const {
    if (result == VK_ERROR_DEVICE_LOST) lost_.store(true, std::memory_order_release);
    return result;
  }

  // Returns true once the device is lost: every later submission then fails with DEAD_OBJECT.
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  // Treats the device as lost because its work does not finish. The device may still run and write, so from here on nnvk destroys
  // neither the device nor any of its objects, and frees none of its memory. check_lost() reports `why`.
  void mark_hung(std::string why);
  bool is_hung() const { return hung_.load(std::memory_order_acquire); }
  // Returns DEAD_OBJECT once the device is lost. The first call that fails runs the application's on_lost callback: hold no
  // locks.
  Status check_lost();

  // Registers a holder until remove(). Because the application's device may end first, close() calls let_go() of all registered
  // holders. remove() calls let_go() if close() has not.
  void add(OutlivesDevice& holder);
  void remove(OutlivesDevice& holder);
  // Destroys nnvk's remaining objects on the application's device, whose use by nnvk must have ended. Afterwards nnvk does not
  // touch the device.
  void close();

 private:
  Context(std::shared_ptr<Instance> instance, std::optional<ApplicationDevice> application, DeviceSnapshot snapshot,
          DevicePlan plan);
  Status make_pipeline_cache();

  std::shared_ptr<Instance> instance_;  // null for an application's device
  const std::optional<ApplicationDevice> application_;
  DeviceSnapshot snapshot_;
  DevicePlan plan_;
  VkDevice device_ = VK_NULL_HANDLE;
  VolkDeviceTable table_{};
  VolkDeviceTable keeping_table_{};  // replaces table_ once the device hangs: destroys nothing
  std::atomic<const VolkDeviceTable*> functions_{&table_};
  VkQueue queue_ = VK_NULL_HANDLE;
  std::mutex queue_mutex_;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  bool owns_pipeline_cache_ = false;
  MemoryBudget budget_;
  mutable std::atomic<bool> lost_{false};
  std::atomic<bool> hung_{false};
  std::mutex hang_mutex_;
  std::string hang_;  // why the device counts as hanging; guarded by hang_mutex_
  std::atomic<bool> told_lost_{false};
  std::mutex holders_mutex_;
  std::set<OutlivesDevice*> holders_;
};

// Makes an object by a function of the device, vkCreateFence or the like, in `made`. Returns a Status; an error names the
// function.
#define NNVK_CREATE(context, function, info, made) \
  (context).status((context).vk().function((context).device(), &(info), (context).allocator(), &(made)), #function)

}  // namespace nnvk::vulkan
