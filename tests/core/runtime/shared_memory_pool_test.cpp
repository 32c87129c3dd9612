// Memory between steps that other processes can map: sealed, reused, with the data that devices attach to it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/runtime/memory_pools.h"
#include "core/runtime/sealed_memory.h"
#include "tests/support/bindings.h"

namespace nnvk {
namespace {

using test::value_of;

TEST(SealedMemory, IsMappedAndNobodyCanMakeItShorter) {
  const auto memory = value_of(make_sealed_memory(5000));
  EXPECT_EQ(memory->bytes().size(), 5000U);
  EXPECT_TRUE(memory->is_writable());
  ASSERT_TRUE(memory->sealed_file());
  EXPECT_NE(::ftruncate(memory->sealed_file()->fd, 0), 0);
  memory->bytes().back() = std::byte{7};
  std::byte last{};
  EXPECT_EQ(::pread(memory->sealed_file()->fd, &last, 1, 4999), 1);
  EXPECT_EQ(last, std::byte{7});
}

TEST(SealedMemory, WhatCannotBeHadIsAnError) {
  EXPECT_EQ(test::code_of(make_sealed_memory(UINT64_MAX)), Code::kOutOfMemory);
  EXPECT_TRUE(make_sealed_memory(0)) << "one byte";
}

class Attached final : public MappedMemory::Attachment {};

TEST(SharedMemoryPool, WhatComesBackIsHandedOutAgainWithItsAttachments) {
  SharedMemoryPool pool;
  auto memory = value_of(pool.take(100));
  const MappedMemory* const first = memory.get();
  const auto& attached = memory->attachment(this, [] { return std::make_unique<Attached>(); });
  const auto second = value_of(pool.take(100));
  EXPECT_NE(second.get(), first) << "the first is in use";
  memory = nullptr;
  memory = value_of(pool.take(100));
  EXPECT_EQ(memory.get(), first);
  EXPECT_EQ(&memory->attachment(this, [] { return std::make_unique<Attached>(); }), &attached);
  EXPECT_NE(value_of(pool.take(200)).get(), first);
}

TEST(SharedMemoryPool, MemoryOutlivesThePool) {
  auto pool = std::make_unique<SharedMemoryPool>();
  const auto memory = value_of(pool->take(100));
  pool = nullptr;
  memory->bytes()[0] = std::byte{1};
}

}  // namespace
}  // namespace nnvk
