// Things that tests must not do under sanitizers. ThreadSanitizer does not know that poll() and epoll order memory accesses, and
// it ends a child of fork that starts threads. AddressSanitizer (of GCC 12) must not allocate in a child of fork if another
// thread of the parent was allocating: the allocator's lock stays locked.
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

// Whether the system gets freed memory back: sanitizers keep it for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kFreedMemoryReturns = false;
#else
inline constexpr bool kFreedMemoryReturns = true;
#endif

}  // namespace nnvk::test
