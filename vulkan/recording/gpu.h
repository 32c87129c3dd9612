// The objects that all prepared plans of one device share: context, pipelines, and the queue's completion thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/base/result.h"
#include "vulkan/context/context.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/queue/completion_queue.h"
#include "vulkan/recording/gpu_track.h"
#include "vulkan/recording/pipelines.h"

namespace nnvk::vulkan {

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
