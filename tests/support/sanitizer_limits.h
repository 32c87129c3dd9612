// What tests must not do under sanitizers. ThreadSanitizer: rely on poll() and epoll alone to order memory accesses, which it
// does not know, and start threads in a child of fork, which ends the child. AddressSanitizer (of GCC 12): allocate in a child
// whose parent allocated on another thread when it forked: the allocator's lock stays locked there.
#pragma once

namespace nnvk::test {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kPollOrdersMemory = false;
inline constexpr bool kChildrenMayStartThreads = false;
#else
inline constexpr bool kPollOrdersMemory = true;
inline constexpr bool kChildrenMayStartThreads = true;
#endif

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kParentsMayAllocateAtFork = false;
#else
inline constexpr bool kParentsMayAllocateAtFork = true;
#endif

}  // namespace nnvk::test
