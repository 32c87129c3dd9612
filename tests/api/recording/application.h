// An application with a Vulkan device of its own, under the validation layers if they are installed. It gives nnvk functions that
// count calls.
#pragma once

#include <nnvk/diagnostics.h>
#include <nnvk/vulkan_interop.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/api_objects.h"
#include "tools/vulkan_device/recommended_device.h"

namespace nnvk::test {

// A struct of Vulkan's, all 0 but its type.
template <class Struct>
Struct make(VkStructureType type) {
  Struct made{};
  made.sType = type;
  return made;
}

// Calls by all threads of the Vulkan functions that the application gave to nnvk, since the start of the process.
struct VulkanCounts {
  uint64_t made = 0;        // vkCreate*, vkAllocate*: calls that allocate memory or make an object
  uint64_t updated = 0;     // vkUpdateDescriptorSets, vkMapMemory
  uint64_t submitted = 0;   // vkQueueSubmit
  uint64_t recorded = 0;    // commands that recordings may use: they change only a command buffer's compute state
  uint64_t foreign = 0;     // all other vkCmd*; these are only counted, not passed on
  uint64_t cache_only = 0;  // pipelines that may come only from the driver's cache
};
VulkanCounts vulkan_counts();

// How the driver makes compute pipelines.
enum class PipelineDriver : uint8_t {
  kReal,
  kCachesNothing,  // every pipeline must be compiled
  kCachesAll,      // none must be
  kHangs,          // caches nothing, and compiles until the driver is another one
};
void set_pipeline_driver(PipelineDriver driver);

struct ImportOptions {
  bool with_queue = true;          // false: nnvk gets no queue and can only record
  bool with_cache_control = true;  // false: the application declares no pipelineCreationCacheControl
};

class Application {
 public:
  // Null when there is no Vulkan device.
  static std::unique_ptr<Application> open();
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  VkDevice device() const { return made_.device; }
  VkQueue queue() const { return made_.queue; }
  uint32_t family() const { return family_; }
  // Released with the application, or by release().
  ANeuralNetworksDevice* import(const ImportOptions& options = {});
  void release(ANeuralNetworksDevice* imported);
  // Messages of the validation layers.
  std::vector<std::string> take_complaints() { return std::exchange(complaints_, {}); }
  bool is_validated() const { return messenger_ != VK_NULL_HANDLE; }
  uint32_t memory_type(uint32_t allowed) const;

 private:
  Application() = default;
  bool make_instance();
  bool make_device();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::vector<std::string> complaints_;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  uint32_t family_ = 0;
  tools::RecommendedDevice made_;
  std::vector<ANeuralNetworksDevice*> imports_;
};

class HostBuffer {
 public:
  HostBuffer(const Application& application, VkDeviceSize size, VkBufferUsageFlags usage);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  VkBuffer get() const { return buffer_; }
  template <class T>
  std::span<T> values() const {
    return {static_cast<T*>(mapped_), size_ / sizeof(T)};
  }

 private:
  VkDevice device_;
  VkDeviceSize size_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  void* mapped_ = nullptr;
};

// A command buffer with a fence.
class Commands {
 public:
  explicit Commands(const Application& application);
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  VkCommandBuffer begin();
  void submit();
  // Returns at once if nothing is submitted.
  void wait();
  void run(const std::function<void(VkCommandBuffer)>& record);
  VkCommandBuffer get() const { return commands_; }

 private:
  const Application& application_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  bool is_pending_ = false;
};

}  // namespace nnvk::test
