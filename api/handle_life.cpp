// The set of live handles: buckets of linked entries, which need no memory of their own and no destruction at unload.
#include "api/handle_life.h"

#include <pthread.h>

#include <array>
#include <mutex>
#include <string>

#include "api/call.h"
#include "api/instance.h"
#include "core/base/process_generation.h"

namespace nnvk::api {
namespace {

// Clients free objects as late as in exit handlers, so nothing here has a destructor. A fork takes all locks, so they are few.
constexpr size_t kLocks = 16;
constexpr size_t kBuckets = 32 * kLocks;
constinit std::array<std::mutex, kLocks> locks{};
constinit std::array<HandleLife*, kBuckets> buckets{};
static_assert(std::is_trivially_destructible_v<std::mutex>);

struct Bucket {
  explicit Bucket(const void* address) : Bucket(index_of(address)) {}
  explicit Bucket(size_t index) : lock(locks[index % kLocks]), first(buckets[index]) {}
  static size_t index_of(const void* address) {
    const auto bits = reinterpret_cast<uintptr_t>(address);
    return ((bits >> 4) ^ (bits >> 13)) % kBuckets;
  }
  const std::lock_guard<std::mutex> lock;
  HandleLife*& first;
};

// Takes all locks. It runs around fork, so that the lists are consistent in the child, which must recognise its parent's handles.
void lock_all() {
  for (std::mutex& lock : locks) lock.lock();
}
void unlock_all() {
  for (std::mutex& lock : locks) lock.unlock();
}
const bool forks_are_handled = ::pthread_atfork(lock_all, unlock_all, unlock_all) == 0;

Error dead(const char* name, const HandleKind& kind) {
  return {Code::kBadData, std::string(name) + " is not a live " + kind.name + ": it was freed, or is something else"};
}

Error of_parent(const char* name, const HandleKind& kind) {
  return {Code::kBadState, std::string(name) + " is a " + kind.name +
                               " that was made before this process was forked: the child must make all objects anew, from "
                               "ANeuralNetworks_getDevice on"};
}

// Looks for a device; `kept` keeps an imported one alive.
HandleLife::Found keep_device(const void* handle, std::shared_ptr<const void>& kept) {
  DeviceUses uses;
  const auto found = instance().use(static_cast<const ANeuralNetworksDevice*>(handle), Imported::kCall, uses);
  if (!uses.empty()) kept = std::make_shared<const DeviceUses>(std::move(uses));
  return found;
}

}  // namespace

HandleLife::HandleLife(const void* handle, const HandleKind& kind, void (*dispose)(const void* handle))
    : address_(handle), kind_(kind), dispose_(dispose), generation_(process_generation()) {
  const Bucket bucket(address_);
  next_ = bucket.first;
  bucket.first = this;
}

// Returns the link to the life of a handle; the link at the end of the list, which is null, if there is none.
HandleLife** HandleLife::find(HandleLife*& first, const void* handle, const HandleKind& kind) {
  HandleLife** link = &first;
  while (*link != nullptr && ((*link)->address_ != handle || &(*link)->kind_ != &kind)) link = &(*link)->next_;
  return link;
}

HandleLife::Found HandleLife::close(const void* handle, const HandleKind& kind) {
  const Bucket bucket(handle);
  HandleLife** const link = find(bucket.first, handle, kind);
  if (*link == nullptr) return Found::kNothing;
  const Found found = (*link)->generation_ == process_generation() ? Found::kAlive : Found::kOfParent;
  *link = (*link)->next_;
  return found;
}

HandleLife::Found HandleLife::keep(const void* handle, const HandleKind& kind, const HandleLife*& life) {
  const Bucket bucket(handle);
  const HandleLife* const entry = *find(bucket.first, handle, kind);
  if (entry == nullptr) return Found::kNothing;
  if (entry->generation_ != process_generation()) return Found::kOfParent;
  entry->keep(WhileKept::kMayBeFreed);
  life = entry;
  return Found::kAlive;
}

bool HandleLife::is_registered(const void* handle, const HandleKind& kind) {
  const Bucket bucket(handle);
  return *find(bucket.first, handle, kind) != nullptr;
}

Status Argument::check() const {
  if (pointer_ == nullptr) return fail(Code::kUnexpectedNull, std::string(name_) + " is NULL");
  if (kind_.name == nullptr) return {};
  const bool is_device = &kind_ == &kHandleKind<ANeuralNetworksDevice>;
  const auto found = is_device ? keep_device(pointer_, device_) : HandleLife::keep(pointer_, kind_, life_);
  switch (found) {
    case HandleLife::Found::kNothing:
      return fail(dead(name_, kind_));
    case HandleLife::Found::kOfParent:
      return fail(of_parent(name_, kind_));
    case HandleLife::Found::kAlive:
      break;
  }
  return {};
}

Result<bool> close_handle(const void* handle, const HandleKind& kind) {
  const HandleLife::Found found = HandleLife::close(handle, kind);
  if (found == HandleLife::Found::kNothing) return fail(dead("the argument", kind));
  return found == HandleLife::Found::kAlive;
}

}  // namespace nnvk::api
