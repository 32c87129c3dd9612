// Memory that makes its first reader wait, so that a test can act in the middle of another thread's call.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace nnvk::test {

// A page that nobody can read before open(): a handler of SIGSEGV makes the reader wait. Only one may exist at a time.
class BlockingPage {
 public:
  BlockingPage() : size_(static_cast<size_t>(::sysconf(_SC_PAGESIZE))) {
    // A readable page lies before it, for arrays that begin there.
    base_ = static_cast<std::byte*>(::mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    page = base_ + size_;
    is_reached = is_open = false;
    struct sigaction action {};
    action.sa_sigaction = wait;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &before_);
  }
  ~BlockingPage() {
    ::sigaction(SIGSEGV, &before_, nullptr);
    ::munmap(base_, 2 * size_);
  }
  BlockingPage(const BlockingPage&) = delete;
  BlockingPage& operator=(const BlockingPage&) = delete;

  // A copy of `size` bytes of `values`. Reading byte `readable` or a later one waits for open().
  template <class T>
  T* hold(const T* values, size_t size, size_t readable = 0) {
    std::byte* const at = page - readable;
    std::memcpy(at, values, size);
    ::mprotect(page, size_, PROT_NONE);
    return reinterpret_cast<T*>(at);
  }
  // Waits until a thread reads the page.
  void await_reader() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_reached && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(is_reached) << "nobody read what was to be read in the call";
  }
  void open() const {
    ::mprotect(page, size_, PROT_READ);
    is_open = true;
  }

 private:
  static void wait(int, siginfo_t* fault, void*) {
    const auto* const address = static_cast<const std::byte*>(fault->si_addr);
    if (address < page || address >= page + ::sysconf(_SC_PAGESIZE)) {
      ::signal(SIGSEGV, SIG_DFL);  // A fault elsewhere: it repeats without the handler, and ends the test.
      return;
    }
    is_reached = true;
    while (!is_open) ::usleep(100);
  }

  static inline std::byte* page = nullptr;
  static inline std::atomic<bool> is_reached{false};
  static inline std::atomic<bool> is_open{false};
  size_t size_;
  std::byte* base_;
  struct sigaction before_ {};
};

}  // namespace nnvk::test
