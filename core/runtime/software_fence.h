// A sync fence that nnvk hands out as a file descriptor if there is no kernel fence. It is one end of a STREAM socket pair. While
// it is pending, an unread byte lies at nnvk's end. On the client's end, poll() reports:
//   Pending     nothing.
//   Signalled   POLLIN (then POLLHUP as well): a FenceRecord can be read, with MSG_PEEK any number of times.
//   Error       POLLIN, POLLHUP and POLLERR, without a record: nnvk closed its end over the unread byte.
// The kernel raises the same error when this process dies, so that nobody waits for ever. Children of fork close their copies of
// nnvk's end at once, so that they cannot delay it. A record is sent only on success: an error record would arrive before the
// close, and a waiter that wakes in between would take the error for a signal.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk {

inline constexpr uint32_t kFenceRecordMagic = 0x4B564E4E;  // "NNVK"

struct FenceRecord {
  uint32_t magic = kFenceRecordMagic;
  int32_t code = 0;                    // ANEURALNETWORKS_NO_ERROR
  uint64_t signalled_nanoseconds = 0;  // CLOCK_MONOTONIC, the same for all processes
};
static_assert(sizeof(FenceRecord) == 16);

// A fence of nnvk with a descriptor for the client. It is thread-safe.
class SoftwareFence {
 public:
  // Returns a pending fence. RESOURCE_EXHAUSTED_TRANSIENT if no descriptors are left.
  static Result<std::shared_ptr<SoftwareFence>> create();
  // The destructor calls retire().
  ~SoftwareFence();
  SoftwareFence(const SoftwareFence&) = delete;
  SoftwareFence& operator=(const SoftwareFence&) = delete;

  // Settles the fence; later calls do nothing.
  void settle(const Status& status);
  // Returns a new descriptor for the client, with close-on-exec. Requires that the fence was not retired.
  Result<FileDescriptor> duplicate() const;
  // Ends an unsettled fence in an error and closes its descriptors, whoever holds this object. Clients' descriptors stay valid.
  void retire();

 private:
  // The list of all unsettled fences; children of fork close nnvk's ends of them.
  struct Pending;

  SoftwareFence() = default;

  // The mutex of Pending guards these members. The last two are links of its list.
  int client_ = -1;    // -1 once retired
  int producer_ = -1;  // -1 once settled
  SoftwareFence* previous_ = nullptr;
  SoftwareFence* next_ = nullptr;
};

}  // namespace nnvk
