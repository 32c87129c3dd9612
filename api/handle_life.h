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

  void keep() const { references_.fetch_add(1, std::memory_order_relaxed); }
  // True for the last one: the object goes.
  bool release() const { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool is_kept() const { return references_.load(std::memory_order_relaxed) > 1; }

 private:
  HandleLife(const void* handle, const HandleKind& kind);

  const void* address_;
  const HandleKind& kind_;
  HandleLife* next_ = nullptr;                   // in the bucket of its address
  mutable std::atomic<uint32_t> references_{1};  // the client's own
};

// Keeps the object behind a handle, also when its client frees it.
template <class Handle>
class Kept {
 public:
  explicit Kept(const Handle* handle) : handle_(handle) { handle_->life.keep(); }
  Kept(Kept&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Kept& operator=(Kept&&) = delete;
  ~Kept() {
    if (handle_ != nullptr && handle_->life.release()) delete handle_;
  }

 private:
  const Handle* handle_;
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
