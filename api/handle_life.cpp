// The set of live handles: buckets of linked entries, which need no memory of their own and no destruction at unload.
#include "api/handle_life.h"

#include <array>
#include <mutex>
#include <string>

#include "api/call.h"
#include "api/instance.h"

namespace nnvk::api {
namespace {

struct Bucket {
  std::mutex mutex;
  HandleLife* first = nullptr;
};

// Clients free their objects as late as in exit handlers.
static_assert(std::is_trivially_destructible_v<Bucket>);
constinit std::array<Bucket, 256> buckets{};

Bucket& bucket_of(const void* address) {
  const auto bits = reinterpret_cast<uintptr_t>(address);
  return buckets[((bits >> 4) ^ (bits >> 12)) % buckets.size()];
}

std::string name_of(HandleKind kind) {
  switch (kind) {
    case HandleKind::kNone:
      break;
    case HandleKind::kBurst:
      return "ANeuralNetworksBurst";
    case HandleKind::kCompilation:
      return "ANeuralNetworksCompilation";
    case HandleKind::kDevice:
      return "ANeuralNetworksDevice";
    case HandleKind::kEvent:
      return "ANeuralNetworksEvent";
    case HandleKind::kExecution:
      return "ANeuralNetworksExecution";
    case HandleKind::kMemory:
      return "ANeuralNetworksMemory";
    case HandleKind::kMemoryDesc:
      return "ANeuralNetworksMemoryDesc";
    case HandleKind::kModel:
      return "ANeuralNetworksModel";
  }
  return "object";
}

Error dead(const char* name, HandleKind kind) {
  return {Code::kBadData, std::string(name) + " is not a live " + name_of(kind) + ": it was freed, or is something else"};
}

}  // namespace

HandleLife::HandleLife(const void* handle, HandleKind kind) : address_(handle), kind_(kind) {
  Bucket& bucket = bucket_of(address_);
  const std::lock_guard lock(bucket.mutex);
  next_ = bucket.first;
  bucket.first = this;
}

bool HandleLife::close(const void* handle, HandleKind kind) {
  Bucket& bucket = bucket_of(handle);
  const std::lock_guard lock(bucket.mutex);
  for (HandleLife** link = &bucket.first; *link != nullptr; link = &(*link)->next_) {
    if ((*link)->address_ != handle || (*link)->kind_ != kind) continue;
    *link = (*link)->next_;
    return true;
  }
  return false;
}

bool HandleLife::is_alive(const void* handle, HandleKind kind) {
  Bucket& bucket = bucket_of(handle);
  const std::lock_guard lock(bucket.mutex);
  for (const HandleLife* entry = bucket.first; entry != nullptr; entry = entry->next_) {
    if (entry->address_ == handle && entry->kind_ == kind) return true;
  }
  return false;
}

Status check_handle(const void* handle, HandleKind kind, const char* name) {
  if (handle == nullptr) return null_argument(name);
  const bool alive = kind == HandleKind::kDevice ? instance().find(static_cast<const ANeuralNetworksDevice*>(handle)) != nullptr
                                                 : HandleLife::is_alive(handle, kind);
  if (!alive) return fail(dead(name, kind));
  return {};
}

bool close_handle(const char* function, const void* handle, HandleKind kind) {
  if (HandleLife::close(handle, kind)) return true;
  report(function, dead("the argument", kind));
  return false;
}

void report_still_used(const char* function) {
  report(function, {Code::kBadState, "others still use the object: it stays for them until they are freed. Free it after them"});
}

}  // namespace nnvk::api
