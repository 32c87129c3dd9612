// The objects that all prepared plans of one device share: context, pipelines, and the queue's completion thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/trace.h"
#include "vulkan/context/context.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/queue/completion_queue.h"
#include "vulkan/recording/pipelines.h"

namespace nnvk::vulkan {

// A device's track in the trace: the dispatches that it ran.
class GpuTrack {
 public:
  struct Slice {
    std::string name;
    uint64_t begin = 0;  // as trace::now() counts
    uint64_t end = 0;
  };

  explicit GpuTrack(std::string device) : device_(std::move(device)) {}

  // Writes slices, which must be in order of time. Cuts off the part of a slice before the end of earlier slices: a submission's
  // first timestamp may be taken while the previous submission still runs. `section` is layer and phase, "[NN_LD_PCO]".
  void write(std::string_view section, std::span<const Slice> slices) {
    const std::lock_guard lock(mutex_);
    if (!track_) track_ = trace::make_track("GPU " + device_);
    for (const Slice& slice : slices) {
      const uint64_t begin = std::max(slice.begin, occupied_until_);
      if (slice.end <= begin) continue;
      trace::slice(*track_, section, slice.name, begin, slice.end);
      occupied_until_ = slice.end;
    }
  }

 private:
  std::string device_;
  std::mutex mutex_;
  std::optional<trace::TrackId> track_;  // created with the first slice
  uint64_t occupied_until_ = 0;
};

struct Gpu {
  // C++ destroys members in reverse order, so `completions` first retires running work.
  std::shared_ptr<Context> context;
  PipelineLibrary pipelines;
  GpuTrack track;                                // the completion thread writes it
  std::unique_ptr<CompletionQueue> completions;  // null without a queue: work is only recorded for applications

  bool submits() const { return completions != nullptr && context->has_queue(); }

  // The buffers from which the application made memories: all memories of one VkBuffer share an IoBuffer.
  std::mutex application_buffers_mutex;
  std::map<VkBuffer, std::weak_ptr<const IoBuffer>> application_buffers;

  static Result<std::shared_ptr<Gpu>> create(std::shared_ptr<Context> context) {
    NNVK_ASSIGN(auto completions, CompletionQueue::create(context));
    return std::make_shared<Gpu>(std::move(context), std::move(completions));
  }
  Gpu(std::shared_ptr<Context> c, std::unique_ptr<CompletionQueue> q)
      : context(std::move(c)), pipelines(context), track(context->snapshot().name), completions(std::move(q)) {}
};

}  // namespace nnvk::vulkan
