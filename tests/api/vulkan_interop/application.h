// An application with a Vulkan device of its own, for the tests of nnvk/vulkan_interop.h. It uses volk, and the validation layers
// if they are installed. Its vkGetInstanceProcAddr counts the calls made through it.
#pragma once

#include <gtest/gtest.h>
#include <nnvk/vulkan_interop.h>
#include <volk.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tests/api/api_objects.h"
#include "tools/vulkan_device/recommended_device.h"

namespace nnvk::test {

// All calls through counting_gipa() since reset().
struct CallCounts {
  std::atomic<int> submits{0};
  std::atomic<int> unlocked_submits{0};  // outside lockQueue and unlockQueue
  std::atomic<int> idle_waits{0};        // vkQueueWaitIdle, vkDeviceWaitIdle
  std::atomic<int> destroyed_devices{0};
  std::atomic<int> allocations{0};       // vkAllocateMemory
  std::atomic<int> made_caches{0};       // vkCreatePipelineCache
  std::atomic<bool> lose_device{false};  // vkQueueSubmit answers VK_ERROR_DEVICE_LOST
  std::atomic<int> lose_at{INT_MAX};     // and so it does from this submission on (from 0)

  void reset();
};
CallCounts& counts();

// The loader's function, with the functions of CallCounts replaced.
PFN_vkGetInstanceProcAddr counting_gipa();

struct ApplicationOptions {
  bool recommended = true;  // enables the features that nnvk recommends
  bool with_queue = true;   // nnvk may submit
  uint32_t api_version = VK_API_VERSION_1_3;
  bool validated = true;  // if the layers are installed
};

class Application {
 public:
  // Null if there is no Vulkan device.
  static std::unique_ptr<Application> create(const ApplicationOptions& options = {});
  // Destroys the device; the validation layer reports objects that nnvk left on it.
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // The description for the import; tests change it before import(). Points into this object.
  NnvkVkDeviceDesc desc();
  // An imported device, until release(). Fails the test if the import fails.
  ANeuralNetworksDevice* import(const NnvkVkDeviceDesc& desc);
  ANeuralNetworksDevice* import() { return import(desc()); }

  VkInstance instance() const { return instance_; }
  VkPhysicalDevice physical_device() const { return physical_device_; }
  VkDevice device() const { return device_; }
  const VolkDeviceTable& vk() const { return vk_; }
  bool is_validated() const { return messenger_ != VK_NULL_HANDLE; }
  // Errors and warnings of the validation layers so far.
  int messages() const { return messages_; }
  int locks() const { return locks_; }
  int unlocks() const { return unlocks_; }
  int losses() const { return losses_; }

  // A buffer in memory that the host reaches.
  struct HostBuffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint32_t memory_type = 0;
    float* floats = nullptr;
  };
  static constexpr VkBufferUsageFlags kAllUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  HostBuffer make_buffer(size_t floats, VkBufferUsageFlags usage = kAllUsage);
  VkSemaphore make_semaphore(bool timeline);
  // Fills `count` floats of the buffer on the device, with semaphores around the submission.
  void submit_fill(VkBuffer buffer, size_t count, float value, const std::vector<NnvkVkSemaphore>& waits,
                   const std::vector<NnvkVkSemaphore>& signals);
  void submit_copy(VkBuffer from, VkBuffer to, size_t count, const std::vector<NnvkVkSemaphore>& waits,
                   const std::vector<NnvkVkSemaphore>& signals);
  // Waits for a value of a timeline semaphore; false after ten seconds.
  bool wait(VkSemaphore semaphore, uint64_t value);
  uint64_t value_of(VkSemaphore semaphore);
  void wait_idle();

 private:
  Application() = default;
  bool make_instance(const ApplicationOptions& options);
  bool choose_device();
  bool make_device(const ApplicationOptions& options);
  void submit(const std::vector<NnvkVkSemaphore>& waits, const std::vector<NnvkVkSemaphore>& signals, VkCommandBuffer commands);
  VkCommandBuffer begin();
  static void lock(void* user, uint32_t family, uint32_t index);
  static void unlock(void* user, uint32_t family, uint32_t index);
  static void lost(void* user);
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* user);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VolkDeviceTable vk_{};
  uint32_t api_version_ = 0;
  uint32_t family_ = 0;
  NnvkVkQueue queue_{};
  bool with_queue_ = true;
  tools::RecommendedDevice made_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<HostBuffer> buffers_;
  std::vector<VkSemaphore> semaphores_;
  std::mutex queue_mutex_;
  std::atomic<int> messages_{0};
  std::atomic<int> locks_{0};
  std::atomic<int> unlocks_{0};
  std::atomic<int> losses_{0};
};

// A test with one application. Skipped without a Vulkan device; validation messages fail it.
class WithApplication : public ::testing::Test {
 protected:
  virtual ApplicationOptions options() const { return {}; }
  void SetUp() override {
    counts().reset();
    application_ = Application::create(options());
    if (application_ == nullptr) GTEST_SKIP() << "no Vulkan device";
  }
  void TearDown() override {
    if (application_ == nullptr) return;
    if (device_ != nullptr) {
      EXPECT_EQ(nnvk_vkReleaseDevice(device_), kOk) << nnvk_last_error();
    }
    EXPECT_EQ(application_->messages(), 0);
  }
  static std::string nnvk_last_error();

  std::unique_ptr<Application> application_;
  ANeuralNetworksDevice* device_ = nullptr;  // released at the end
};

// A convolution over [1, 8, 8, 4] FLOAT32 with packed weights, and its result on the CPU for an input filled with `value`.
ModelBuilder make_convolution();
inline constexpr size_t kConvolutionFloats = size_t{8} * 8 * 4;
std::vector<float> convolution_of(std::span<const float> input);

}  // namespace nnvk::test
