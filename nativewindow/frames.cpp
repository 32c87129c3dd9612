// The C interface for frames in existing memory (nnvk/hardware_buffer.h), and its error texts.
#pragma GCC visibility push(default)
#include <nnvk/hardware_buffer.h>
#pragma GCC visibility pop

#include <fcntl.h>
#include <cerrno>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "nativewindow/buffer.h"

using nnvk::FileDescriptor;
using namespace nnvk::nativewindow;

namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

// Stores the text for nnvk_HardwareBuffer_lastError() and returns the code.
int tell(Problem problem) {
  last_error() = std::move(problem.text);
  return problem.code;
}

Problem no_memory() { return {-ENOMEM, ""}; }

Problem check_size(const nnvk_FrameLayout* layout) {
  if (layout == nullptr) return {-EINVAL, "the layout is NULL"};
  if (layout->size == sizeof(nnvk_FrameLayout)) return {};
  return {-EINVAL, "the layout's size is " + std::to_string(layout->size) + ", this library knows " +
                       std::to_string(sizeof(nnvk_FrameLayout)) + "; set it to sizeof(nnvk_FrameLayout)"};
}

Problem create(const nnvk_FrameLayout* layout, const int* fds, uint32_t count, AHardwareBuffer** handle) {
  if (handle == nullptr) return {-EINVAL, "the place of the result is NULL"};
  *handle = nullptr;
  if (Problem problem = check_size(layout); problem.code != 0) return problem;
  if (fds == nullptr || count == 0 || count > kMostMemories) {
    return {-EINVAL, "there are " + std::to_string(fds == nullptr ? 0 : count) + " descriptors; a frame has 1 to 4"};
  }
  std::vector<FileDescriptor> copies;
  copies.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    copies.push_back(FileDescriptor::duplicate(fds[i]));
    if (copies.back()) continue;
    return {errno == EBADF ? -EBADF : -errno,
            "descriptor " + std::to_string(i) + " (" + std::to_string(fds[i]) + ") cannot be duplicated; is it open?"};
  }
  std::shared_ptr<Buffer> buffer;
  if (Problem problem = Buffer::wrap(*layout, std::move(copies), std::nullopt, buffer); problem.code != 0) return problem;
  *handle = LiveBuffers::of_process().add(std::move(buffer));
  return {};
}

Problem get_layout(const AHardwareBuffer* handle, nnvk_FrameLayout* layout) {
  if (Problem problem = check_size(layout); problem.code != 0) return problem;
  const std::shared_ptr<Buffer> buffer = LiveBuffers::of_process().find(handle);
  if (buffer == nullptr) return {-EINVAL, "this is not a hardware buffer of this process"};
  if (buffer->frame() != nullptr) {
    *layout = *buffer->frame();
    return {};
  }
  if (frame_of(buffer->description(), buffer->layout(), *layout)) return {};
  return {-ENOSYS, "buffers of format " + std::to_string(buffer->description().format) + " are not frames"};
}

}  // namespace

int nnvk_HardwareBuffer_createFromFds(const nnvk_FrameLayout* layout, const int* fds, uint32_t fdCount,
                                      AHardwareBuffer** outBuffer) {
  try {
    return tell(create(layout, fds, fdCount, outBuffer));
  } catch (const std::bad_alloc&) {
    return tell(no_memory());
  }
}

int nnvk_HardwareBuffer_getLayout(const AHardwareBuffer* buffer, nnvk_FrameLayout* layout) {
  try {
    return tell(get_layout(buffer, layout));
  } catch (const std::bad_alloc&) {
    return tell(no_memory());
  }
}

const char* nnvk_HardwareBuffer_lastError(void) { return last_error().c_str(); }
