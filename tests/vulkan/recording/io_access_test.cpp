// Which inputs and outputs kernels may use where the client has them.
#include "vulkan/recording/io_access.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

constexpr IoLimits kNear{64, true};
constexpr IoLimits kFar{64, false};

IoFacts input(uint64_t size) { return {.buffer = 1, .buffer_size = 4096, .size = size}; }
IoFacts output(uint64_t size) { return {.is_output = true, .buffer = 2, .buffer_size = 4096, .size = size, .room = size}; }
IoChoice choose(const IoFacts& facts, const IoLimits& limits = kNear) {
  return choose_io_access(std::span(&facts, 1), limits)[0];
}

void expect_copied_by_host(const IoFacts& facts, std::string_view word) {
  const IoChoice choice = choose(facts);
  EXPECT_EQ(choice.access, IoAccess::kHostCopy) << word;
  EXPECT_NE(choice.reason.find(word), std::string_view::npos) << choice.reason;
}

TEST(IoAccess, AlignedMemoryThatTheDeviceReachesIsUsedInPlace) {
  EXPECT_EQ(choose(input(100)).access, IoAccess::kDirect);
  EXPECT_EQ(choose(output(96)).access, IoAccess::kDirect);
  EXPECT_TRUE(choose(output(96)).reason.empty());
}

TEST(IoAccess, WhatTheDeviceCannotReachIsCopied) {
  IoFacts facts = input(100);
  facts.buffer = 0;
  expect_copied_by_host(facts, "reach");
}

TEST(IoAccess, EmptyTensorsAreNotBound) { expect_copied_by_host(input(0), "empty"); }

TEST(IoAccess, OffsetsMustSuitTheDevice) {
  IoFacts facts = input(100);
  facts.offset = 32;
  expect_copied_by_host(facts, "aligned");
  facts.offset = 64;
  EXPECT_EQ(choose(facts).access, IoAccess::kDirect);
}

TEST(IoAccess, KernelsReadWholeBlocksWhichMustExist) {
  IoFacts facts = input(100);
  facts.offset = 4096 - 128;
  EXPECT_EQ(choose(facts).access, IoAccess::kDirect);
  facts.buffer_size = 4090;
  facts.size = 115;
  expect_copied_by_host(facts, "block");
  facts.offset = 8192;
  expect_copied_by_host(facts, "block");
}

TEST(IoAccess, NothingBehindAnOutputIsOverwrittenUnlessTheClientAllowsIt) {
  IoFacts facts = output(100);
  expect_copied_by_host(facts, "behind its end");
  facts.room = 111;
  expect_copied_by_host(facts, "behind its end");
  facts.room = 112;  // padding
  EXPECT_EQ(choose(facts).access, IoAccess::kDirect);
}

TEST(IoAccess, OutputsWhoseSizeTheDataDecidesAreDeliveredByTheHost) {
  IoFacts facts = output(96);
  facts.size_decided_later = true;
  expect_copied_by_host(facts, "after the run");
  EXPECT_EQ(choose(facts, kFar).access, IoAccess::kHostCopy);
  facts.host_reaches_it = false;
  EXPECT_EQ(choose(facts).access, IoAccess::kDeviceCopy);
}

TEST(IoAccess, ADeviceFarFromTheHostFetchesHostMemoryAndKeepsItsOwn) {
  IoFacts facts = input(100);
  facts.offset = 3;  // copies need no alignment
  EXPECT_EQ(choose(facts, kFar).access, IoAccess::kDeviceCopy);
  facts.offset = 0;
  facts.host_reaches_it = false;
  EXPECT_EQ(choose(facts, kFar).access, IoAccess::kDirect);
}

TEST(IoAccess, DeviceMemoryThatDoesNotSuitIsCopiedByTheDevice) {
  IoFacts facts = input(100);
  facts.host_reaches_it = false;
  facts.offset = 4;
  EXPECT_EQ(choose(facts).access, IoAccess::kDeviceCopy);
}

TEST(IoAccess, AnOutputThatSharesBytesIsCopiedAndItsNeighbourIsNot) {
  IoFacts in = input(128);
  IoFacts out = output(128);
  out.buffer = in.buffer;
  out.offset = 64;
  const IoFacts shared[] = {in, out};
  const auto choices = choose_io_access(shared, kNear);
  EXPECT_EQ(choices[0].access, IoAccess::kDirect);
  EXPECT_EQ(choices[1].access, IoAccess::kHostCopy);
  out.offset = 128;
  const IoFacts beside[] = {in, out};
  EXPECT_EQ(choose_io_access(beside, kNear)[1].access, IoAccess::kDirect);
}

TEST(IoAccess, TwoInputsMayShareBytes) {
  const IoFacts both[] = {input(128), input(64)};
  for (const IoChoice& choice : choose_io_access(both, kNear)) EXPECT_EQ(choice.access, IoAccess::kDirect);
}

}  // namespace
}  // namespace nnvk::vulkan
