// Memories made from file descriptors and from memory descriptors: ranges, states, copies.
#include "core/runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/runtime/memory_descriptor.h"
#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

int make_file(size_t size) {
  const int fd = ::memfd_create("memory_test", MFD_CLOEXEC);
  EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
  return fd;
}

std::unique_ptr<Memory> make_memory(size_t size, int protection = PROT_READ | PROT_WRITE) {
  const int fd = make_file(size);
  auto memory = make_fd_memory(size, protection, fd, 0);
  ::close(fd);
  EXPECT_TRUE(memory);
  return std::move(*memory);
}

TEST(FdMemory, KeepsItsOwnDescriptor) {
  const auto memory = make_memory(64);
  const auto bytes = value_of(memory->map(MapAccess::kWrite));
  EXPECT_EQ(bytes.size(), 64U);
  bytes[63] = std::byte{7};
  EXPECT_EQ((*memory->map())[63], std::byte{7});
}

TEST(FdMemory, BadDescriptorsAreRefused) {
  EXPECT_EQ(code_of(make_fd_memory(4, PROT_READ, -1, 0)), Code::kOpFailed);
  EXPECT_EQ(code_of(make_fd_memory(4, PROT_READ, 999, 0)), Code::kOpFailed);
}

TEST(FdMemory, WhatCannotBeMappedIsFoundWhenUsed) {
  const int fd = make_file(16);
  const auto beyond = make_fd_memory(100000, PROT_READ, fd, 0);
  const auto unaligned = make_fd_memory(8, PROT_READ, fd, 8);
  const auto read_only = make_fd_memory(16, PROT_READ, fd, 0);
  ::close(fd);
  EXPECT_EQ(code_of((*beyond)->map()), Code::kUnmappable);
  EXPECT_EQ(code_of((*unaligned)->map()), Code::kUnmappable);
  EXPECT_EQ(code_of((*read_only)->map(MapAccess::kWrite)), Code::kUnmappable);
  EXPECT_TRUE((*read_only)->map());
}

TEST(FdMemory, RegionsMustLieInside) {
  const auto memory = make_memory(100);
  EXPECT_TRUE(memory->check_constant_range(60, 40));
  EXPECT_FALSE(memory->check_constant_range(60, 41));
  EXPECT_FALSE(memory->check_constant_range(101, 0));
  EXPECT_FALSE(memory->check_constant_range(0, 0));
  EXPECT_FALSE(memory->check_constant_range(SIZE_MAX, 2));
}

TEST(FdMemory, ConstantsNeedASizeAndPlainProtections) {
  EXPECT_TRUE(make_memory(4)->check_usable_for_constants());
  EXPECT_FALSE(make_memory(4, PROT_READ | PROT_EXEC)->check_usable_for_constants());
  EXPECT_FALSE(make_memory(0)->check_usable_for_constants());
}

TEST(CopyMemory, NeedsEqualSizes) {
  auto a = make_memory(8);
  auto b = make_memory(8);
  auto c = make_memory(12);
  (*a->map(MapAccess::kWrite))[0] = std::byte{42};
  EXPECT_TRUE(copy_memory(*a, *b));
  EXPECT_EQ((*b->map())[0], std::byte{42});
  EXPECT_EQ(code_of(copy_memory(*a, *c)), Code::kBadData);
  EXPECT_TRUE(copy_memory(*a, *a));
}

class DescriptorTest : public RuntimeTest {
 protected:
  DescriptorTest() : compilation_(model_, runtime_) { EXPECT_TRUE(compilation_.finish()); }

  std::unique_ptr<Memory> output_memory() {
    MemoryDescriptor descriptor;
    EXPECT_TRUE(descriptor.add_role(compilation_, false, 0, 1.0F));
    EXPECT_TRUE(descriptor.add_role(compilation_, true, 0, 1.0F));
    EXPECT_TRUE(descriptor.finish());
    return std::move(*descriptor.allocate());
  }

  Compilation compilation_;
};

TEST_F(DescriptorTest, RolesAreCheckedAndMerged) {
  MemoryDescriptor descriptor;
  EXPECT_EQ(code_of(descriptor.finish()), Code::kBadData);
  EXPECT_EQ(code_of(descriptor.add_role(compilation_, true, 1, 1.0F)), Code::kBadData);
  EXPECT_EQ(code_of(descriptor.add_role(compilation_, true, 0, 0.0F)), Code::kBadData);
  EXPECT_EQ(code_of(descriptor.add_role(compilation_, true, 0, 2.0F)), Code::kBadData);
  EXPECT_TRUE(descriptor.add_role(compilation_, true, 0, 0.5F));
  EXPECT_EQ(code_of(descriptor.add_role(compilation_, true, 0, 0.5F)), Code::kBadData);
  const uint32_t other[] = {3};
  EXPECT_EQ(code_of(descriptor.set_dimensions(other)), Code::kBadData);
  EXPECT_EQ(code_of(descriptor.allocate()), Code::kBadState);
  EXPECT_TRUE(descriptor.finish());
  EXPECT_EQ(code_of(descriptor.finish()), Code::kBadState);
  EXPECT_TRUE(descriptor.allocate());
}

TEST_F(DescriptorTest, AnUnfinishedCompilationCannotBeARole) {
  Compilation unfinished(model_, runtime_);
  MemoryDescriptor descriptor;
  EXPECT_EQ(code_of(descriptor.add_role(unfinished, true, 0, 1.0F)), Code::kBadData);
}

TEST_F(DescriptorTest, SeveralDevicesThatTheClientChoseCannotShareAMemory) {
  Finished on_gpu(model_, runtime_, {gpu_});
  Finished on_cpu(model_, runtime_, {cpu_});
  MemoryDescriptor descriptor;
  ASSERT_TRUE(descriptor.add_role(on_gpu, false, 0, 1.0F));
  ASSERT_TRUE(descriptor.add_role(on_cpu, true, 0, 1.0F));
  ASSERT_TRUE(descriptor.finish());
  EXPECT_EQ(code_of(descriptor.allocate()), Code::kOpFailed);
}

TEST_F(DescriptorTest, MemoryOfUnknownSizeCannotBeAllocated) {
  Model open(runtime_.extensions());
  build_relu(open, {0}, {0});
  Finished compilation(open, runtime_);
  MemoryDescriptor descriptor;
  ASSERT_TRUE(descriptor.add_role(compilation, true, 0, 1.0F));
  MemoryDescriptor sized = descriptor;
  ASSERT_TRUE(descriptor.finish());
  EXPECT_EQ(code_of(descriptor.allocate()), Code::kOpFailed);
  const uint32_t dims[] = {2};
  ASSERT_TRUE(sized.set_dimensions(dims));
  ASSERT_TRUE(sized.finish());
  EXPECT_TRUE(sized.allocate());
}

TEST_F(DescriptorTest, MemoryIsReadableOnlyAfterASuccessfulWrite) {
  auto memory = output_memory();
  auto plain = make_memory(8);
  EXPECT_EQ(code_of(copy_memory(*memory, *plain)), Code::kBadData);

  auto reader = Execution::create(compilation_);
  ASSERT_TRUE(reader->set(true, 0, {.memory = memory.get()}));
  ASSERT_TRUE(reader->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
  EXPECT_EQ(code_of(reader->compute()), Code::kOpFailed);

  auto writer = Execution::create(compilation_);
  ASSERT_TRUE(writer->set(true, 0, {.data = input_.data(), .length = sizeof input_}));
  ASSERT_TRUE(writer->set(false, 0, {.memory = memory.get()}));
  EXPECT_TRUE(writer->compute());

  auto again = Execution::create(compilation_);
  ASSERT_TRUE(again->set(true, 0, {.memory = memory.get()}));
  ASSERT_TRUE(again->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
  EXPECT_TRUE(again->compute());
  EXPECT_EQ(output_, (std::array<float, 2>{3.0F, 4.0F}));
  EXPECT_TRUE(copy_memory(*memory, *plain));

  EXPECT_EQ(code_of(copy_memory(*make_memory(4), *memory)), Code::kBadData);  // a failed copy leaves it undefined
  EXPECT_EQ(code_of(copy_memory(*memory, *plain)), Code::kBadData);
}

TEST_F(DescriptorTest, MemoryServesOnlyItsRoles) {
  MemoryDescriptor descriptor;
  ASSERT_TRUE(descriptor.add_role(compilation_, true, 0, 1.0F));
  ASSERT_TRUE(descriptor.finish());
  auto memory = std::move(*descriptor.allocate());
  Finished other(model_, runtime_);
  EXPECT_EQ(code_of(Execution::create(other)->set(true, 0, {.memory = memory.get()})), Code::kBadData);
  auto execution = Execution::create(compilation_);
  EXPECT_EQ(code_of(execution->set(false, 0, {.memory = memory.get()})), Code::kBadData);
  EXPECT_EQ(code_of(execution->set(true, 0, {.memory = memory.get(), .offset = 1})), Code::kBadData);
  EXPECT_EQ(code_of(execution->set(true, 0, {.memory = memory.get(), .length = 8})), Code::kBadData);
  EXPECT_TRUE(execution->set(true, 0, {.memory = memory.get()}));
  EXPECT_EQ(code_of(execution->set(true, 0, {.memory = memory.get()})), Code::kBadState);
}

}  // namespace
}  // namespace nnvk::test
