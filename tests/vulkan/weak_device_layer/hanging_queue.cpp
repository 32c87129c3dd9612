// Keeps submissions. Waiting for a queue or device lasts as long as submissions are kept.
#include "tests/vulkan/weak_device_layer/hanging_queue.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/held_submission.h"
#include "tests/vulkan/weak_device_layer/chain.h"

namespace nnvk::weak_device {
namespace {

std::atomic<bool> g_hangs{false};
std::mutex g_mutex;
std::vector<test::HeldSubmission> g_held;  // of all devices

bool is_at_work() {
  const std::lock_guard lock(g_mutex);
  return !g_held.empty();
}

void wait_for_the_end() {
  while (is_at_work()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  if (!g_hangs) return below(queue).QueueSubmit(queue, count, infos, fence);
  const std::lock_guard lock(g_mutex);
  g_held.emplace_back(queue, *infos, fence);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) {
  wait_for_the_end();
  return below(queue).QueueWaitIdle(queue);
}

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice device) {
  wait_for_the_end();
  return below(device).DeviceWaitIdle(device);
}

#define NNVK_WEAK_DESTROY(name, Handle)                                                                              \
  VKAPI_ATTR void VKAPI_CALL Destroy##name(VkDevice device, Handle object, const VkAllocationCallbacks* allocator) { \
    check_may_destroy(device, "vkDestroy" #name);                                                                    \
    below(device).Destroy##name(device, object, allocator);                                                          \
  }
NNVK_WEAK_DESTROY(CommandPool, VkCommandPool)
NNVK_WEAK_DESTROY(DescriptorPool, VkDescriptorPool)
NNVK_WEAK_DESTROY(Pipeline, VkPipeline)
NNVK_WEAK_DESTROY(Semaphore, VkSemaphore)
#undef NNVK_WEAK_DESTROY

}  // namespace

void check_may_destroy(VkDevice device, const char* call) {
  const std::lock_guard lock(g_mutex);
  for (const test::HeldSubmission& held : g_held) {
    if (&below(held.queue()) == &below(device)) broken(std::string(call) + " while the device is at work");
  }
}

PFN_vkVoidFunction hanging_function(const char* name) {
#define NNVK_WEAK_ROW(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(function);
  NNVK_WEAK_ROW(QueueSubmit)
  NNVK_WEAK_ROW(QueueWaitIdle)
  NNVK_WEAK_ROW(DeviceWaitIdle)
  NNVK_WEAK_ROW(DestroyCommandPool)
  NNVK_WEAK_ROW(DestroyDescriptorPool)
  NNVK_WEAK_ROW(DestroyPipeline)
  NNVK_WEAK_ROW(DestroySemaphore)
#undef NNVK_WEAK_ROW
  return nullptr;
}

}  // namespace nnvk::weak_device

extern "C" __attribute__((visibility("default"))) void nnvk_weak_device_hang(int hangs) {
  using namespace nnvk::weak_device;
  g_hangs = hangs != 0;
  if (hangs != 0) return;
  const std::lock_guard lock(g_mutex);
  for (const auto& held : g_held) {
    if (held.submit(below(held.queue()).QueueSubmit) != VK_SUCCESS) broken("the driver does not take what was held");
  }
  g_held.clear();
}
