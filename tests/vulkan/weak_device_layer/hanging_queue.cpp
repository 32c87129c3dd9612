// Keeps submissions, and lets faults happen at some. Waiting for a queue or device lasts as long as submissions are kept.
#include "tests/vulkan/weak_device_layer/hanging_queue.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
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

// The number of submissions so far, of this process or of all processes that share the file.
std::atomic<uint64_t>& submissions() {
  static std::atomic<uint64_t>* const counter = [] {
    static std::atomic<uint64_t> own{0};
    const char* const name = std::getenv(kCounterVariable);
    if (name == nullptr) return &own;
    const int file = ::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof(uint64_t)) != 0) broken(std::string("cannot use ") + kCounterVariable);
    void* const shared = ::mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) broken(std::string("cannot map ") + kCounterVariable);
    ::close(file);
    return static_cast<std::atomic<uint64_t>*>(shared);
  }();
  return *counter;
}

// Counts a submission, and lets the fault happen that a word of the environment variable asks for.
void count_submission(DeviceBelow& device) {
  if (!weaknesses().has_faults()) return;
  switch (weaknesses().fault_at(++submissions())) {
    case Fault::kHang:
      device.hangs = true;
      return;
    case Fault::kLost:
      device.is_lost = true;
      return;
    case Fault::kCrash:
      std::raise(SIGSEGV);
      return;
    case Fault::kKill:
      std::raise(SIGKILL);
      return;
    case Fault::kNone:
      return;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  DeviceBelow& device = below(queue);
  count_submission(device);
  if (device.is_lost) return VK_ERROR_DEVICE_LOST;
  if (!g_hangs && !device.hangs) return device.QueueSubmit(queue, count, infos, fence);
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
  if (below(device).hangs) return;
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
