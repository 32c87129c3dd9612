// Makes threads by pthread_create(): std::thread throws if there is no memory, and does not let nnvk choose the stack.
#include "core/base/thread.h"

#include <sys/mman.h>

#include <cstddef>
#include <exception>

#include "core/base/blocked_signals.h"
#include "core/base/process_generation.h"
#include "core/base/trace.h"

namespace nnvk {
namespace {

// Returns true if threads need stacks of nnvk's own. A child of fork does not run its parent's threads, and the C library would
// reuse or unmap their stacks. Exit handlers of Mesa's drivers join those threads all the same, and hang or crash if the stacks
// have changed.
bool needs_own_stack() { return process_generation() > 1; }

constexpr size_t kStackBytes = size_t{8} << 20;
constexpr size_t kGuardBytes = size_t{64} << 10;  // a multiple of any page

void* map_stack() {
  void* const stack = ::mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return nullptr;
  ::mprotect(stack, kGuardBytes, PROT_NONE);
  return stack;
}

void unmap_stack(void* stack) { ::munmap(stack, kGuardBytes + kStackBytes); }

}  // namespace

void* Thread::begin(void* beginning) noexcept {
  const std::unique_ptr<Beginning> own(static_cast<Beginning*>(beginning));
  trace::name_this_thread(own->name);
  own->run();
  return nullptr;
}

Thread::~Thread() {
  if (is_running_) std::terminate();
}

void Thread::swap(Thread& other) noexcept {
  std::swap(thread_, other.thread_);
  std::swap(is_running_, other.is_running_);
  std::swap(stack_, other.stack_);
}

Result<Thread> Thread::start(std::unique_ptr<Beginning> beginning) {
  if (beginning == nullptr) return fail_out_of_memory();
  Thread thread;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return fail_out_of_memory();
  if (needs_own_stack()) {
    thread.stack_ = map_stack();
    if (thread.stack_ != nullptr)
      ::pthread_attr_setstack(&attributes, static_cast<std::byte*>(thread.stack_) + kGuardBytes, kStackBytes);
  }
  {
    const BlockedSignals blocked;
    thread.is_running_ = ::pthread_create(&thread.thread_, &attributes, begin, beginning.get()) == 0;
  }
  ::pthread_attr_destroy(&attributes);
  if (thread.is_running_) {
    static_cast<void>(beginning.release());
    return thread;
  }
  if (thread.stack_ != nullptr) unmap_stack(std::exchange(thread.stack_, nullptr));
  return fail(Code::kResourceExhaustedTransient, "no thread is left");
}

void Thread::join() {
  ::pthread_join(thread_, nullptr);
  is_running_ = false;
  if (stack_ != nullptr) unmap_stack(std::exchange(stack_, nullptr));
}

}  // namespace nnvk
