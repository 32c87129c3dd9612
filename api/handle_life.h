// Which handles of the C API are alive, and what stays of an object that a client frees while others need it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "api/traced_call.h"
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

enum class HandleKind { kNone, kBurst, kCompilation, kDevice, kEvent, kExecution, kMemory, kMemoryDesc, kModel };

template <class T>
inline constexpr HandleKind kHandleKind = HandleKind::kNone;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksBurst> = HandleKind::kBurst;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksCompilation> = HandleKind::kCompilation;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksDevice> = HandleKind::kDevice;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksEvent> = HandleKind::kEvent;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksExecution> = HandleKind::kExecution;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksMemory> = HandleKind::kMemory;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksMemoryDesc> = HandleKind::kMemoryDesc;
template <>
inline constexpr HandleKind kHandleKind<ANeuralNetworksModel> = HandleKind::kModel;

// The last member of every handle: known as alive from construction until close(). Never looks into a pointer it does not know.
class HandleLife {
 public:
  template <class Handle>
  explicit HandleLife(const Handle* handle) : HandleLife(handle, kHandleKind<Handle>) {}
  ~HandleLife() { close(address_, kind_); }
  HandleLife(const HandleLife&) = delete;
  HandleLife& operator=(const HandleLife&) = delete;

  // Ends the life of the handle for clients. False when `handle` is no live handle of this kind.
  static bool close(const void* handle, HandleKind kind);
  static bool is_alive(const void* handle, HandleKind kind);

  void keep() const { references_.fetch_add(1, std::memory_order_relaxed); }
  // True for the last one: the object goes.
  bool release() const { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool is_kept() const { return references_.load(std::memory_order_relaxed) > 1; }

 private:
  HandleLife(const void* handle, HandleKind kind);

  const void* address_;
  HandleKind kind_;
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

// UNEXPECTED_NULL for NULL; BAD_DATA for what is not alive.
Status check_handle(const void* handle, HandleKind kind, const char* name);
// Logs what is wrong with a handle that is to be freed; true when it was closed and the client's reference is to be released.
bool close_handle(const char* function, const void* handle, HandleKind kind);
// Logs that others need the object behind a handle that was freed.
void report_still_used(const char* function);

// Frees what a client passes to a function that frees: anything else than a live handle is logged and left alone.
template <class Handle>
void free_handle(const char* function, Handle* handle) {
  const trace::Section section = traced_call(function);
  if (handle == nullptr || !close_handle(function, handle, kHandleKind<Handle>)) return;
  // Memories may be freed after the computations that use them, whatever becomes of the executions.
  if (handle->life.is_kept() && !std::is_same_v<Handle, ANeuralNetworksMemory>) report_still_used(function);
  if (handle->life.release()) delete handle;
}

// NULL and dead handles, for arguments of any pointer type.
template <class Pointer>
Status check_argument(Pointer argument, const char* name) {
  using Pointee = std::remove_cv_t<std::remove_pointer_t<Pointer>>;
  if constexpr (kHandleKind<Pointee> != HandleKind::kNone) {
    return check_handle(argument, kHandleKind<Pointee>, name);
  } else {
    if (argument == nullptr) return fail(Code::kUnexpectedNull, std::string(name) + " is NULL");
    return {};
  }
}

}  // namespace nnvk::api
