// What tests must not do under ThreadSanitizer: rely on poll() and epoll alone to order memory accesses, which it does not know,
// and start threads in a child of fork, which ends the child.
#pragma once

namespace nnvk::test {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kPollOrdersMemory = false;
inline constexpr bool kChildrenMayStartThreads = false;
#else
inline constexpr bool kPollOrdersMemory = true;
inline constexpr bool kChildrenMayStartThreads = true;
#endif

}  // namespace nnvk::test
