// Kernel fences (sync_files), with which devices wait for each other without the host. Only some drivers support them.
#pragma once

#include <utility>

#include "core/base/file_descriptor.h"
#include "core/runtime/device.h"

namespace nnvk {

// A foreign kernel fence that a submission follows (Request::behind): the device itself waits for it.
class SyncFilePlace final : public QueuePlace {
 public:
  // Without a descriptor, the fence is signalled already.
  explicit SyncFilePlace(FileDescriptor file) : file_(std::move(file)) {}
  const FileDescriptor& file() const { return file_; }
  QueueId queue() const override { return QueueId::kNone; }
  const SyncFilePlace* as_sync_file() const override { return this; }

 private:
  const FileDescriptor file_;
};

}  // namespace nnvk
