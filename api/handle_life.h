// Which handles of the C API are alive, and what stays of an object that a client frees while others need it.
#pragma once

#include <atomic>
#include <cstdint>
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

// A kind of handles, told from the others by its address.
struct HandleKind {
  const char* name;  // null: no handle
};
template <class T>
inline constexpr HandleKind kHandleKind{nullptr};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksBurst>{"ANeuralNetworksBurst"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksCompilation>{"ANeuralNetworksCompilation"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksDevice>{"ANeuralNetworksDevice"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksEvent>{"ANeuralNetworksEvent"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksExecution>{"ANeuralNetworksExecution"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksMemory>{"ANeuralNetworksMemory"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksMemoryDesc>{"ANeuralNetworksMemoryDesc"};
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksModel>{"ANeuralNetworksModel"};

template <>
inline constexpr HandleKind kHandleKind<NnvkVkRecording>{"NnvkVkRecording"};

// What the client may do with an object as long as another one keeps it.
enum class WhileKept : uint8_t { kNotToBeFreed, kMayBeFreed };

// The last member of every handle: known as alive from construction until close(). Never looks into a pointer it does not know.
class HandleLife {
 public:
  template <class Handle>
  explicit HandleLife(const Handle* handle) : HandleLife(handle, kHandleKind<Handle>) {}
  ~HandleLife() { close(address_, kind_); }
  HandleLife(const HandleLife&) = delete;
  HandleLife& operator=(const HandleLife&) = delete;

  // Ends the life of the handle for clients. False when `handle` is no live handle of this kind.
  static bool close(const void* handle, const HandleKind& kind);
  static bool is_alive(const void* handle, const HandleKind& kind);

  void keep(WhileKept how) const { references_.fetch_add(weight(how), std::memory_order_relaxed); }
  // True for the last one: the object goes. The client's own reference is kMayBeFreed.
  bool release(WhileKept how = WhileKept::kMayBeFreed) const {
    return static_cast<uint32_t>(references_.fetch_sub(weight(how), std::memory_order_acq_rel)) == 1;
  }
  // Whoever keeps it as kNotToBeFreed keeps it as kMayBeFreed from now on.
  void allow_free() const { references_.fetch_sub(kNotToBeFreed, std::memory_order_relaxed); }
  bool is_not_to_be_freed() const { return references_.load(std::memory_order_relaxed) >= kNotToBeFreed; }

 private:
  // References are counted in the lower half, among them those that are kNotToBeFreed in the upper half.
  static constexpr uint64_t kNotToBeFreed = uint64_t{1} << 32;
  static uint64_t weight(WhileKept how) { return how == WhileKept::kNotToBeFreed ? kNotToBeFreed + 1 : 1; }
  HandleLife(const void* handle, const HandleKind& kind);

  const void* address_;
  const HandleKind& kind_;
  HandleLife* next_ = nullptr;                   // in the bucket of its address
  mutable std::atomic<uint64_t> references_{1};  // the client's own
};

// Keeps the object behind a handle, also when its client frees it.
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
    if (handle_ != nullptr && handle_->life.release(how_)) delete handle_;
  }
  // From now on the client may free it.
  void allow_free() {
    if (std::exchange(how_, WhileKept::kMayBeFreed) == WhileKept::kNotToBeFreed) handle_->life.allow_free();
  }

 private:
  const Handle* handle_;
  WhileKept how_;
};

// An argument that an entry point cannot do without.
class Argument {
 public:
  template <class T>
  Argument(T* pointer, const char* name)
      : pointer_(reinterpret_cast<const void*>(pointer)), kind_(kHandleKind<std::remove_cv_t<T>>), name_(name) {}

  // UNEXPECTED_NULL for NULL; BAD_DATA for a handle that is not alive.
  Status check() const;

 private:
  const void* pointer_;
  const HandleKind& kind_;
  const char* name_;
};

// Logs what is wrong with a handle that is to be freed; true when it was closed and the client's reference is to be released.
bool close_handle(const char* function, const void* handle, const HandleKind& kind);

}  // namespace nnvk::api
