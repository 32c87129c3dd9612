// What tests must not do under ThreadSanitizer: rely on poll() and epoll alone to order memory accesses, which it does not know.
#pragma once

namespace nnvk::test {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kPollOrdersMemory = false;
#else
inline constexpr bool kPollOrdersMemory = true;
#endif

}  // namespace nnvk::test
