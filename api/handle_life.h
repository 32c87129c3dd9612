// Knows which handles of the C API are alive. An object that a client frees stays in memory while other objects need it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/base/result.h"

struct ANeuralNetworksBurst;
struct ANeuralNetworksCompilation;
struct ANeuralNetworksDevice;
struct ANeuralNetworksEvent;
struct ANeuralNetworksExecution;
struct ANeuralNetworksMemory;
struct ANeuralNetworksMemoryDesc;
struct ANeuralNetworksModel;
struct NnvkVkRecording;

namespace nnvk::api {

// A kind of handles. The address of a HandleKind identifies the kind.
struct HandleKind {
  const char* name;  // null: T is not a type of handles
};
template <class T>
inline constexpr HandleKind kHandleKind{nullptr};
#define NNVK_HANDLE_KIND(Handle) \
  template <>                    \
  inline constexpr HandleKind kHandleKind<Handle>{#Handle};
NNVK_HANDLE_KIND(ANeuralNetworksBurst)
NNVK_HANDLE_KIND(ANeuralNetworksCompilation)
NNVK_HANDLE_KIND(ANeuralNetworksDevice)
NNVK_HANDLE_KIND(ANeuralNetworksEvent)
NNVK_HANDLE_KIND(ANeuralNetworksExecution)
NNVK_HANDLE_KIND(ANeuralNetworksMemory)
NNVK_HANDLE_KIND(ANeuralNetworksMemoryDesc)
NNVK_HANDLE_KIND(ANeuralNetworksModel)
NNVK_HANDLE_KIND(NnvkVkRecording)
#undef NNVK_HANDLE_KIND

// Destroys an object that nobody refers to; one with a function dispose() destroys itself.
template <class Handle>
void dispose(const void* address) {
  const auto* const handle = static_cast<const Handle*>(address);
  if constexpr (requires { handle->dispose(); }) {
    handle->dispose();
  } else {
    delete handle;
  }
}

// Whether the client may free an object while another object keeps it in memory.
enum class WhileKept : uint8_t { kNotToBeFreed, kMayBeFreed };

// The last member of every handle. It registers the handle as alive from construction until close(), and never dereferences an
// unknown pointer.
class HandleLife {
 public:
  enum class Found : uint8_t { kNothing, kAlive, kOfParent };

  template <class Handle>
  explicit HandleLife(const Handle* handle) : HandleLife(handle, kHandleKind<Handle>, &api::dispose<Handle>) {}
  ~HandleLife() { close(address_, kind_); }
  HandleLife(const HandleLife&) = delete;
  HandleLife& operator=(const HandleLife&) = delete;

  // Ends the life of the handle for clients. Returns kNothing if there is no live handle of this kind, and kOfParent if the
  // handle was made before this process was forked; the caller must not touch the object then.
  static Found close(const void* handle, const HandleKind& kind);
  // Finds the life of a handle. If it is alive, keeps the object (kMayBeFreed); the caller must call let_go() on `life`.
  static Found keep(const void* handle, const HandleKind& kind, const HandleLife*& life);
  // Returns true if the handle is alive, whichever process made it. Does not keep the object.
  static bool is_registered(const void* handle, const HandleKind& kind);

  void keep(WhileKept how) const { references_.fetch_add(weight(how), std::memory_order_relaxed); }
  // Drops a reference; the last call disposes of the object. The client's own reference is kMayBeFreed.
  void let_go(WhileKept how = WhileKept::kMayBeFreed) const {
    if (static_cast<uint32_t>(references_.fetch_sub(weight(how), std::memory_order_acq_rel)) == 1) dispose_(address_);
  }
  // Turns one kNotToBeFreed reference into a kMayBeFreed one.
  void allow_free() const { references_.fetch_sub(kNotToBeFreed, std::memory_order_relaxed); }
  bool is_not_to_be_freed() const { return references_.load(std::memory_order_relaxed) >= kNotToBeFreed; }

 private:
  // The lower half counts all references, the upper half those that are kNotToBeFreed.
  static constexpr uint64_t kNotToBeFreed = uint64_t{1} << 32;
  static uint64_t weight(WhileKept how) { return how == WhileKept::kNotToBeFreed ? kNotToBeFreed + 1 : 1; }
  HandleLife(const void* handle, const HandleKind& kind, void (*dispose)(const void* handle));
  static HandleLife** find(HandleLife*& first, const void* handle, const HandleKind& kind);

  const void* address_;
  const HandleKind& kind_;
  void (*const dispose_)(const void* handle);
  const uint32_t generation_;                    // of the process that made it
  HandleLife* next_ = nullptr;                   // in the bucket of its address
  mutable std::atomic<uint64_t> references_{1};  // the client's own
};

// Keeps the object of a handle in memory, also when its client frees it.
template <class Handle>
class Kept {
 public:
  explicit Kept(const Handle* handle, WhileKept how = WhileKept::kNotToBeFreed) : handle_(handle), how_(how) {
    handle_->life.keep(how_);
  }
  Kept(Kept&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), how_(other.how_) {}
  Kept& operator=(Kept&&) = delete;
  const Handle& handle() const { return *handle_; }
  ~Kept() {
    if (handle_ != nullptr) handle_->life.let_go(how_);
  }
  // Lets the client free the object from now on.
  void allow_free() {
    if (std::exchange(how_, WhileKept::kMayBeFreed) == WhileKept::kNotToBeFreed) handle_->life.allow_free();
  }

 private:
  const Handle* handle_;
  WhileKept how_;
};

// A required argument of an entry point. Keeps a handle's object alive for its own lifetime, even if another thread frees the
// handle; the last reference disposes of the object.
class Argument {
 public:
  template <class T>
  Argument(T* pointer, const char* name)
      : pointer_(reinterpret_cast<const void*>(pointer)), kind_(kHandleKind<std::remove_cv_t<T>>), name_(name) {}
  Argument(Argument&& other) noexcept
      : pointer_(other.pointer_),
        kind_(other.kind_),
        name_(other.name_),
        life_(std::exchange(other.life_, nullptr)),
        device_(std::move(other.device_)) {}
  Argument& operator=(Argument&&) = delete;
  ~Argument() {
    if (life_ != nullptr) life_->let_go();
  }

  // Returns UNEXPECTED_NULL for NULL, BAD_DATA for a handle that is not alive, BAD_STATE for one from before a fork. Call it only
  // once.
  Status check() const;

 private:
  const void* pointer_;
  const HandleKind& kind_;
  const char* name_;
  mutable const HandleLife* life_ = nullptr;    // kept since check()
  mutable std::shared_ptr<const void> device_;  // an imported device, kept since check()
};

// Ends the life of a handle that the client frees. Returns true if the caller must drop the client's reference, and false if the
// handle belongs to the parent of this process and stays unchanged. Returns BAD_DATA if there is no live handle of this kind.
Result<bool> close_handle(const void* handle, const HandleKind& kind);

}  // namespace nnvk::api
