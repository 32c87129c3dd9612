// Fences of the kernel (sync_files) that submissions signal and wait for, where the driver has them: whoever holds one needs no
// thread of ours.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/context.h"

namespace nnvk::vulkan {

class KernelFences;

// Of one submission. Thread-safe.
class KernelFence {
 public:
  explicit KernelFence(KernelFences& owner) : owner_(owner) {}
  ~KernelFence() { retire(false); }
  KernelFence(const KernelFence&) = delete;
  KernelFence& operator=(const KernelFence&) = delete;

  VkFence handle() const { return fence_; }
  // The submission is with the driver. Before, nothing can be exported.
  void submitted();
  // A sync_file, the caller's; -1: it is signalled. Nothing: the driver gives none. To be called once: the driver's fence is then
  // that of the file alone.
  std::optional<int> export_file();
  // The host has seen the submission complete (or it has failed): the driver's fence serves another one.
  void retire(bool has_completed = true);

 private:
  friend class KernelFences;
  KernelFences& owner_;
  std::mutex mutex_;
  VkFence fence_ = VK_NULL_HANDLE;
  bool is_submitted_ = false;
  bool is_exported_ = false;
  bool has_completed_ = false;
};

// The fences and semaphores of one queue. Thread-safe; outlives what it gives.
class KernelFences {
 public:
  explicit KernelFences(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~KernelFences();
  KernelFences(const KernelFences&) = delete;
  KernelFences& operator=(const KernelFences&) = delete;

  // Null where there is none: an execution does without.
  std::shared_ptr<KernelFence> take();
  // A semaphore that is signalled with the sync_file (-1: already), for one wait; to be given back when that is over. The
  // descriptor stays the caller's.
  Result<VkSemaphore> import_file(int file);
  void give_back(std::span<const VkSemaphore> semaphores);
  // Instead, where nobody knows whether the wait has happened.
  void destroy(std::span<const VkSemaphore> semaphores);

 private:
  friend class KernelFence;
  std::optional<int> export_fence(VkFence fence);
  enum class Use : uint8_t { kNone, kSignalled, kExported };
  void give_back(VkFence fence, Use use);
  template <class T>
  bool keep(std::vector<T>& kept, std::type_identity_t<std::span<const T>> more);

  std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::vector<VkFence> fences_;
  std::vector<VkSemaphore> semaphores_;
};

}  // namespace nnvk::vulkan
