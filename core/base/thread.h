// The threads of the library: they receive no signals and have names. Starting a thread returns errors instead of throwing.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <utility>

#include "core/base/result.h"

namespace nnvk {

// A thread of the system. Callers join or detach it before its destructor runs, as with std::thread.
class Thread {
 public:
  Thread() = default;
  Thread(Thread&& other) noexcept { swap(other); }
  Thread& operator=(Thread&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Thread();

  // Runs `body`, which must not throw, on a new thread; `name` is a literal of up to 15 characters. Returns
  // RESOURCE_EXHAUSTED_TRANSIENT if the system has no thread left, OUT_OF_MEMORY if there is no memory for it.
  template <class Body>
  static Result<Thread> start(const char* name, Body body) {
    struct BeginningOf final : Beginning {
      BeginningOf(const char* thread_name, Body&& whole) : Beginning(thread_name), own(std::move(whole)) {}
      void run() override { own(); }
      Body own;
    };
    return start(std::unique_ptr<Beginning>(new (std::nothrow) BeginningOf(name, std::move(body))));
  }

  bool joinable() const { return is_running_; }
  void join();
  void detach() { is_running_ = ::pthread_detach(thread_) != 0; }
  bool is_calling() const { return is_running_ && ::pthread_equal(thread_, ::pthread_self()) != 0; }
  // Returns the thread's handle, which is valid while joinable().
  pthread_t handle() const { return thread_; }

 private:
  struct Beginning {
    explicit Beginning(const char* thread_name) : name(thread_name) {}
    virtual ~Beginning() = default;
    virtual void run() = 0;
    const char* name;
  };
  static Result<Thread> start(std::unique_ptr<Beginning> beginning);
  static void* begin(void* beginning) noexcept;
  void swap(Thread& other) noexcept;

  pthread_t thread_{};
  bool is_running_ = false;
  void* stack_ = nullptr;  // mapped by nnvk, in children of fork only
};

}  // namespace nnvk
