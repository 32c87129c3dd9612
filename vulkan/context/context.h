// A logical device with its function table, queue and pipeline cache. Everything that lives on the GPU holds a reference to it.
#pragma once

#include <volk.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "core/base/result.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"
#include "vulkan/context/instance.h"

namespace nnvk::vulkan {

// Exclusive use of the queue for as long as it lives. Hold it briefly: it is what submitting threads wait for.
class QueueLease {
 public:
  QueueLease(VkQueue queue, std::mutex& mutex) : lock_(mutex), queue_(queue) {}
  VkQueue queue() const { return queue_; }

 private:
  std::unique_lock<std::mutex> lock_;
  VkQueue queue_;
};

class Context {
 public:
  static Result<std::shared_ptr<Context>> create(std::shared_ptr<Instance> instance, VkPhysicalDevice physical_device,
                                                 DeviceSnapshot snapshot, DevicePlan plan);
  // Waits for the device to be idle.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const VolkDeviceTable& vk() const { return table_; }  // functions of this device
  // Only for tests that make calls fail; never while work is running.
  VolkDeviceTable& replaceable_functions() { return table_; }
  VkDevice device() const { return device_; }
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  const DeviceSnapshot& snapshot() const { return snapshot_; }
  const DevicePlan& plan() const { return plan_; }
  bool debug_labels() const { return instance_->has_debug_labels(); }
  QueueLease lease_queue() { return {queue_, queue_mutex_}; }

  // Once the device is lost every later submission fails with DEAD_OBJECT.
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  void mark_lost() { lost_.store(true, std::memory_order_release); }

 private:
  Context(std::shared_ptr<Instance> instance, DeviceSnapshot snapshot, DevicePlan plan);

  std::shared_ptr<Instance> instance_;
  DeviceSnapshot snapshot_;
  DevicePlan plan_;
  VkDevice device_ = VK_NULL_HANDLE;
  VolkDeviceTable table_{};
  VkQueue queue_ = VK_NULL_HANDLE;
  std::mutex queue_mutex_;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  std::atomic<bool> lost_{false};
};

}  // namespace nnvk::vulkan
