// One wrapper per function, made from the list of those that are used.
#include "vulkan_faults.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/held_submission.h"
#include "vulkan/context/device_function_list.h"

namespace nnvk::vulkan::faults {
namespace {

using test::HeldSubmission;

std::atomic<int> g_calls{0};
std::atomic<int> g_submissions{0};
std::atomic<int> g_installations{0};
std::atomic<int> g_lose_at{kNever};
std::atomic<int> g_hang_at{kNever};

std::mutex g_held_mutex;
std::vector<HeldSubmission> g_held;
PFN_vkQueueSubmit g_submit = nullptr;

bool holds_any(const VkFence* fences, uint32_t count) {
  const std::lock_guard lock(g_held_mutex);
  return std::any_of(fences, fences + count, [](VkFence fence) {
    return std::ranges::any_of(g_held, [fence](const HeldSubmission& held) { return held.fence() == fence; });
  });
}

enum class Call : uint8_t { kOther, kSemaphoreWait, kFenceWait, kSubmit };

template <class Function, Function VolkDeviceTable::*member, Call kind>
struct Wrapper {
  static void put_before(VolkDeviceTable&) {}  // functions without a result cannot fail
};

template <class... Arguments, VkResult (*VolkDeviceTable::*member)(Arguments...), Call kind>
struct Wrapper<VkResult (*)(Arguments...), member, kind> {
  // All devices have the same function. Atomic, because each new device stores it again while the thread of a hanging one calls
  // it.
  static inline std::atomic<VkResult (*)(Arguments...)> real = nullptr;

  static VkResult call(Arguments... arguments) {
    const bool is_lost = g_calls.fetch_add(1) == g_lose_at;
    if constexpr (kind == Call::kSubmit) {
      if (is_lost) return VK_ERROR_DEVICE_LOST;
      return submit(arguments...);
    } else {
      if (!is_lost) return pass_on(arguments...);
      while (kind != Call::kOther && pass_on(arguments...) == VK_TIMEOUT) {
      }
      return VK_ERROR_DEVICE_LOST;
    }
  }

  static VkResult pass_on(Arguments... arguments) {
    if constexpr (kind == Call::kFenceWait) return wait_for_fences(arguments...);
    return real.load()(arguments...);
  }

  // Waits for held submissions here: Vulkan forbids submitting a fence while another thread waits for it in the driver.
  static VkResult wait_for_fences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all, uint64_t nanoseconds) {
    const auto begin = std::chrono::steady_clock::now();
    while (holds_any(fences, count)) {
      if (std::chrono::steady_clock::now() - begin >= std::chrono::nanoseconds(nanoseconds)) return VK_TIMEOUT;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return real.load()(device, count, fences, all, nanoseconds);
  }

  static VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
    if (g_submissions.fetch_add(1) < g_hang_at) return real.load()(queue, count, infos, fence);
    const std::lock_guard lock(g_held_mutex);
    g_held.emplace_back(queue, *infos, fence);
    return VK_SUCCESS;
  }

  static void put_before(VolkDeviceTable& functions) {
    if (functions.*member == nullptr || functions.*member == call) return;
    real = functions.*member;
    functions.*member = call;
  }
};

constexpr Call kind_of(std::string_view name) {
  if (name == "vkQueueSubmit") return Call::kSubmit;
  if (name == "vkWaitForFences") return Call::kFenceWait;
  return name == "vkWaitSemaphoresKHR" ? Call::kSemaphoreWait : Call::kOther;
}

}  // namespace

void install(VolkDeviceTable& functions, const Faults& wanted) {
  ++g_installations;
  change(wanted);
  g_calls = g_submissions = 0;
  g_submit = functions.vkQueueSubmit;
  {
    const std::lock_guard lock(g_held_mutex);
    g_held.clear();
  }
#define NNVK_WRAP(name) Wrapper<PFN_##name, &VolkDeviceTable::name, kind_of(#name)>::put_before(functions);
  NNVK_DEVICE_FUNCTIONS(NNVK_WRAP, NNVK_WRAP)
#undef NNVK_WRAP
}

int calls() { return g_calls; }
int submissions() { return g_submissions; }
int installations() { return g_installations; }
void change(const Faults& wanted) {
  g_lose_at = wanted.lose_at;
  g_hang_at = wanted.hang_at;
}

void go_on() {
  const std::lock_guard lock(g_held_mutex);
  if (g_held.empty()) return;
  for (const HeldSubmission& held : g_held) {
    if (held.submit(g_submit) != VK_SUCCESS) return;
  }
  g_held.clear();
}

}  // namespace nnvk::vulkan::faults
