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

Error dead(const char* name, const HandleKind& kind) {
  return {Code::kBadData, std::string(name) + " is not a live " + kind.name + ": it was freed, or is something else"};
}

}  // namespace

HandleLife::HandleLife(const void* handle, const HandleKind& kind) : address_(handle), kind_(kind) {
  Bucket& bucket = bucket_of(address_);
  const std::lock_guard lock(bucket.mutex);
  next_ = bucket.first;
  bucket.first = this;
}

bool HandleLife::close(const void* handle, const HandleKind& kind) {
  Bucket& bucket = bucket_of(handle);
  const std::lock_guard lock(bucket.mutex);
  for (HandleLife** link = &bucket.first; *link != nullptr; link = &(*link)->next_) {
    if ((*link)->address_ != handle || &(*link)->kind_ != &kind) continue;
    *link = (*link)->next_;
    return true;
  }
  return false;
}

bool HandleLife::is_alive(const void* handle, const HandleKind& kind) {
  Bucket& bucket = bucket_of(handle);
  const std::lock_guard lock(bucket.mutex);
  for (const HandleLife* entry = bucket.first; entry != nullptr; entry = entry->next_) {
    if (entry->address_ == handle && &entry->kind_ == &kind) return true;
  }
  return false;
}

Status Argument::check() const {
  if (pointer_ == nullptr) return fail(Code::kUnexpectedNull, std::string(name_) + " is NULL");
  if (kind_.name == nullptr) return {};
  const bool alive = &kind_ == &kHandleKind<ANeuralNetworksDevice>
                         ? instance().find(static_cast<const ANeuralNetworksDevice*>(pointer_)) != nullptr
                         : HandleLife::is_alive(pointer_, kind_);
  if (!alive) return fail(dead(name_, kind_));
  return {};
}

bool close_handle(const char* function, const void* handle, const HandleKind& kind) {
  if (HandleLife::close(handle, kind)) return true;
  report(function, dead("the argument", kind));
  return false;
}

}  // namespace nnvk::api
