// Kernel fences (sync_files) that submissions signal and wait for, if the driver supports them. A holder of such a fence can wait
// without nnvk's threads.
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

// The fence of one submission. It is thread-safe.
class KernelFence {
 public:
  explicit KernelFence(KernelFences& owner) : owner_(owner) {}
  ~KernelFence() { retire(false); }
  KernelFence(const KernelFence&) = delete;
  KernelFence& operator=(const KernelFence&) = delete;

  VkFence handle() const { return fence_; }
  // Notes that the driver has the submission; call it then. export_file() exports nothing earlier.
  void submitted();
  // Returns a sync_file that the caller owns; -1 if the fence has already signalled. Returns nothing if the driver does not have
  // the submission yet, or exports no file. Call it at most once: an export moves the fence's state to the file.
  std::optional<int> export_file();
  // Gives the driver's fence back. Call it when the host has seen the submission complete, or with false if it failed or was
  // never submitted.
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

// The fences and semaphores of one queue. It is thread-safe, and outlives the fences that it hands out.
class KernelFences {
 public:
  explicit KernelFences(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~KernelFences();
  KernelFences(const KernelFences&) = delete;
  KernelFences& operator=(const KernelFences&) = delete;

  // Returns a fence for a run, or null if none is available: the execution then runs without one.
  std::shared_ptr<KernelFence> take();
  // Makes a semaphore, for one wait, that is signalled when the sync_file is (-1: at once). Pass it to give_back() after that
  // wait. The caller keeps the descriptor.
  Result<VkSemaphore> import_file(int file);
  void give_back(std::span<const VkSemaphore> semaphores);
  // Destroys the semaphores. Call it instead of give_back() if the wait may not have happened.
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
