// A logical device with its function table, queue and pipeline cache: our own, or an application's. Everything that lives on the
// GPU holds a reference to it.
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

// Exclusive use of the queue for as long as it lives. Hold it briefly: it is what submitting threads wait for.
class QueueLease {
 public:
  // `others`: whoever uses the queue besides us, or null. Fails where they do not give it.
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
  const ApplicationDevice* others_ = nullptr;  // they have locked it for us
};

// What holds parts of an application's device for as long as it lives itself, which may be longer than the device does.
class OutlivesDevice {
 public:
  virtual ~OutlivesDevice() = default;
  // Lets go of them. Nobody uses them any more.
  virtual void let_go() = 0;
};

class Context {
 public:
  static Result<std::shared_ptr<Context>> create(std::shared_ptr<Instance> instance, VkPhysicalDevice physical_device,
                                                 DeviceSnapshot snapshot, DevicePlan plan);
  // The device of an application: nothing of it is ever destroyed here, nor waited for as a whole. UNAVAILABLE_DEVICE naming a
  // function that it lacks.
  static Result<std::shared_ptr<Context>> adopt(ApplicationDevice application, DeviceSnapshot snapshot, DevicePlan plan);
  // Our own device: waits for it to be idle.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Functions of this device.
  const VolkDeviceTable& vk() const { return *functions_.load(std::memory_order_acquire); }
  // Only for tests that make calls fail; never while work is running.
  VolkDeviceTable& replaceable_functions() { return table_; }
  VkDevice device() const { return device_; }
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  const DeviceSnapshot& snapshot() const { return snapshot_; }
  const DevicePlan& plan() const { return plan_; }
  bool debug_labels() const { return instance_ != nullptr && instance_->has_debug_labels(); }
  // False: it is an application that submits, whatever is recorded for it.
  bool has_queue() const { return queue_ != VK_NULL_HANDLE; }
  Result<QueueLease> lease_queue() { return QueueLease::take(queue_, queue_mutex_, application()); }
  // Of all objects that are made on the device; null: Vulkan's own.
  const VkAllocationCallbacks* allocator() const;
  // Null: the device is our own.
  const ApplicationDevice* application() const { return application_ ? &*application_ : nullptr; }
  MemoryBudget& memory_budget() { return budget_; }
  // The families that use our buffers.
  std::span<const uint32_t> families() const;

  // Success for VK_SUCCESS, else vulkan_error(). That the device is lost is remembered, whichever call says so.
  Status status(VkResult result, std::string_view what, std::source_location raised_at = std::source_location::current()) const;
  // The same for calls whose failure is no error.
  VkResult noted(VkResult result) const {
    if (result == VK_ERROR_DEVICE_LOST) lost_.store(true, std::memory_order_release);
    return result;
  }

  // Once the device is lost every later submission fails with DEAD_OBJECT.
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  // The device is taken for lost because work on it does not end. It may yet go on and write: from here on, nothing of the device
  // is destroyed nor given back, the device itself included. `why` is what check_lost() says.
  void mark_hung(std::string why);
  bool is_hung() const { return hung_.load(std::memory_order_acquire); }
  // DEAD_OBJECT once the device is lost, of which the application hears here, the first time. Not to be called with locks held.
  Status check_lost();

  // Only an application's device has an end before this object. Who is removed lets go, unless close() made it do so.
  void add(OutlivesDevice& holder);
  void remove(OutlivesDevice& holder);
  // Destroys what is left on the application's device, of which nothing is in use any more. It is not touched afterwards.
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
  VolkDeviceTable keeping_table_{};  // of a device that hangs: destroys nothing
  std::atomic<const VolkDeviceTable*> functions_{&table_};
  VkQueue queue_ = VK_NULL_HANDLE;
  std::mutex queue_mutex_;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  bool owns_pipeline_cache_ = false;
  MemoryBudget budget_;
  mutable std::atomic<bool> lost_{false};
  std::atomic<bool> hung_{false};
  std::mutex hang_mutex_;
  std::string hang_;  // how it was found out; guarded by hang_mutex_
  std::atomic<bool> told_lost_{false};
  std::mutex holders_mutex_;
  std::set<OutlivesDevice*> holders_;
};

}  // namespace nnvk::vulkan
