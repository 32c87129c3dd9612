// Waits for computations and for foreign file descriptors.
#include "core/runtime/event.h"

#include <optional>
#include <string>

#include "core/base/trace.h"
#include "core/runtime/computation.h"
#include "core/runtime/execution.h"
#include "core/runtime/sync_descriptor.h"
#include "core/runtime/sync_file.h"

namespace nnvk {

Code asynchronous_code(Code code) {
  switch (code) {
    case Code::kUnexpectedNull:
      return Code::kBadData;
    case Code::kOutOfMemory:
    case Code::kIncomplete:
    case Code::kBadState:
    case Code::kUnmappable:
    case Code::kDeadObject:
      return Code::kOpFailed;
    default:
      return code;
  }
}

std::unique_ptr<Event> Event::of_nothing() { return std::unique_ptr<Event>(new Event(FileDescriptor())); }

void Event::become(Fence done, std::shared_ptr<Execution> fenced, bool offers_descriptor,
                   std::shared_ptr<const CurrentPlace> place) noexcept {
  done_ = std::move(done);
  is_fenced_ = fenced != nullptr;
  execution_ = std::move(fenced);
  offers_descriptor_ = offers_descriptor;
  place_ = std::move(place);
}

Result<std::unique_ptr<Event>> Event::from_sync_fence(int fd) {
  if (fd <= 0) return fail(Code::kBadData, "the descriptor of a sync fence must be above 0, but is " + std::to_string(fd));
  NNVK_ASSIGN(FileDescriptor copy, duplicate_sync_descriptor(fd));
  return std::unique_ptr<Event>(new Event(std::move(copy)));
}

Event::~Event() {
  finish();
  if (software_fence_ != nullptr) software_fence_->retire();  // ends clients' descriptors; callbacks may hold it longer
}

Status Event::wait() {
  if (is_foreign()) {
    const trace::Section section("[NN_LU_PU]", "wait for a sync fence", trace::Category::kWait);
    return wait_for_sync_descriptor(foreign_.get());
  }
  finish();
  Status result = done_.result();
  if (!result) result.error().code = asynchronous_code(result.error().code);
  return result;
}

void Event::finish() noexcept {
  if (is_foreign()) return;
  const Status result = done_.wait();
  std::shared_ptr<Execution> execution;
  const std::lock_guard lock(mutex_);
  execution.swap(execution_);
  if (execution != nullptr) execution->acknowledge();
  if (software_fence_ != nullptr) software_fence_->settle(result);  // the callback in duplicate_own() may run later than this
}

Result<Fence> Event::watch(DescriptorReactor& reactor) const {
  const std::lock_guard lock(mutex_);
  if (!watched_) {
    NNVK_ASSIGN(watched_, reactor.watch(foreign_.get()));
  }
  return *watched_;
}

Result<Dependency> Event::dependency(DescriptorReactor& reactor) const {
  if (is_foreign()) {
    NNVK_ASSIGN(Fence fence, watch(reactor));
    std::shared_ptr<CurrentPlace> place;
    if (fence.state() == Fence::State::kPending && is_sync_file(foreign_.get())) {
      NNVK_ASSIGN(FileDescriptor copy, duplicate_sync_descriptor(foreign_.get()));
      place = std::make_shared<CurrentPlace>();
      place->set(std::make_shared<const SyncFilePlace>(std::move(copy)));
    }
    return Dependency{std::move(fence), std::move(place), true};
  }
  if (is_fenced_) return Dependency{done_, place_};
  const Fence finished = Fence::pending();
  done_.on_settled([finished](const Status&) { finished.signal(); });
  return Dependency{finished, nullptr};
}

Result<int> Event::duplicate_descriptor() const {
  if (!offers_descriptor_) {
    return fail(Code::kBadData, "this event has no sync fence; only events of fenced computations off nnapi-reference have one");
  }
  Result<FileDescriptor> copy = is_foreign() ? duplicate_sync_descriptor(foreign_.get()) : duplicate_own();
  if (copy) return copy->release();
  copy.error().code = Code::kBadData;  // also when the process has no descriptor left (docs/nnapi/execution.md#events)
  return fail(std::move(copy).error());
}

Result<FileDescriptor> Event::duplicate_own() const {
  const std::lock_guard lock(mutex_);
  if (!sync_file_ && software_fence_ == nullptr) {
    std::optional<int> file;
    const auto place = place_ != nullptr ? place_->get() : nullptr;
    if (place != nullptr) file = place->export_sync_file();
    if (file && *file >= 0) {
      sync_file_ = FileDescriptor(*file);
    } else {
      NNVK_ASSIGN(const auto made, SoftwareFence::create());
      if (file) made->settle({});  // the driver reports that all work is done
      done_.on_settled([made](const Status& status) { made->settle(status); });
      software_fence_ = made;
    }
  }
  return sync_file_ ? duplicate_sync_descriptor(sync_file_.get()) : software_fence_->duplicate();
}

}  // namespace nnvk
