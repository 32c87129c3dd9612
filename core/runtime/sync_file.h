// Kernel fences (sync_files), with which devices wait for each other without the host. Only some drivers support them.
#pragma once

#include <optional>
#include <utility>

#include "core/base/file_descriptor.h"
#include "core/runtime/device.h"

namespace nnvk {

// A QueuePlace may also implement this interface.
class SyncFileSource {
 public:
  virtual ~SyncFileSource() = default;
  // A sync_file, owned by the caller, that is signalled when the submission's results are readable; -1: they already are.
  // Nothing: the driver provides none, or the host must still process the results. Thread-safe.
  virtual std::optional<int> export_sync_file() const = 0;
};

// A foreign kernel fence that a submission follows (Request::behind): the device itself waits for it.
class SyncFilePlace final : public QueuePlace {
 public:
  // No descriptor: it is signalled already.
  explicit SyncFilePlace(FileDescriptor file) : file_(std::move(file)) {}
  const FileDescriptor& file() const { return file_; }

 private:
  const FileDescriptor file_;
};

}  // namespace nnvk
