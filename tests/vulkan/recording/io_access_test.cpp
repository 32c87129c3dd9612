// Inputs and outputs that kernels may use in place, in the client's memory.
#include "vulkan/recording/io_access.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

constexpr IoLimits kNear{64, true};
constexpr IoLimits kFar{64, false};

IoPlace input(uint64_t size) { return {.buffer = 1, .buffer_size = 4096, .size = size}; }
IoPlace output(uint64_t size) { return {.is_output = true, .buffer = 2, .buffer_size = 4096, .size = size, .room = size}; }
IoPlace choose(IoPlace place, const IoLimits& limits = kNear) {
  choose_io_access(std::span(&place, 1), limits);
  return place;
}

void expect_copied_by_host(const IoPlace& facts, std::string_view word) {
  const IoPlace choice = choose(facts);
  EXPECT_EQ(choice.access, IoAccess::kHostCopy) << word;
  EXPECT_NE(choice.reason.find(word), std::string_view::npos) << choice.reason;
}

TEST(IoAccess, AlignedMemoryThatTheDeviceReachesIsUsedInPlace) {
  EXPECT_EQ(choose(input(100)).access, IoAccess::kDirect);
  EXPECT_EQ(choose(output(96)).access, IoAccess::kDirect);
  EXPECT_TRUE(choose(output(96)).reason.empty());
}

TEST(IoAccess, WhatTheDeviceCannotReachIsCopied) {
  IoPlace facts = input(100);
  facts.buffer = 0;
  expect_copied_by_host(facts, "reach");
}

TEST(IoAccess, EmptyTensorsAreNotBound) { expect_copied_by_host(input(0), "empty"); }

TEST(IoAccess, OffsetsMustSuitTheDevice) {
  IoPlace facts = input(100);
  facts.offset = 32;
  expect_copied_by_host(facts, "aligned");
  facts.offset = 64;
  EXPECT_EQ(choose(facts).access, IoAccess::kDirect);
}

TEST(IoAccess, KernelsReadWholeBlocksWhichMustExist) {
  IoPlace facts = input(100);
  facts.offset = 4096 - 128;
  EXPECT_EQ(choose(facts).access, IoAccess::kDirect);
  facts.buffer_size = 4090;
  facts.size = 115;
  expect_copied_by_host(facts, "block");
  facts.offset = 8192;
  expect_copied_by_host(facts, "block");
}

TEST(IoAccess, NothingBehindAnOutputIsOverwrittenUnlessTheClientAllowsIt) {
  IoPlace facts = output(100);
  expect_copied_by_host(facts, "behind its end");
  facts.room = 111;
  expect_copied_by_host(facts, "behind its end");
  facts.room = 112;  // padding
  EXPECT_EQ(choose(facts).access, IoAccess::kDirect);
}

TEST(IoAccess, OutputsWhoseSizeTheDataDecidesAreDeliveredByTheHost) {
  IoPlace facts = output(96);
  facts.size_decided_later = true;
  expect_copied_by_host(facts, "after the run");
  EXPECT_EQ(choose(facts, kFar).access, IoAccess::kHostCopy);
  facts.host_reaches_it = false;
  EXPECT_EQ(choose(facts).access, IoAccess::kDeviceCopy);
}

TEST(IoAccess, ADeviceFarFromTheHostFetchesHostMemoryAndKeepsItsOwn) {
  IoPlace facts = input(100);
  facts.offset = 3;  // copies need no alignment
  EXPECT_EQ(choose(facts, kFar).access, IoAccess::kDeviceCopy);
  facts.offset = 0;
  facts.host_reaches_it = false;
  EXPECT_EQ(choose(facts, kFar).access, IoAccess::kDirect);
}

TEST(IoAccess, DeviceMemoryThatDoesNotSuitIsCopiedByTheDevice) {
  IoPlace facts = input(100);
  facts.host_reaches_it = false;
  facts.offset = 4;
  EXPECT_EQ(choose(facts).access, IoAccess::kDeviceCopy);
}

TEST(IoAccess, AnOutputThatSharesBytesIsCopiedAndItsNeighbourIsNot) {
  IoPlace in = input(128);
  IoPlace out = output(128);
  out.buffer = in.buffer;
  out.offset = 64;
  IoPlace shared[] = {in, out};
  choose_io_access(shared, kNear);
  EXPECT_EQ(shared[0].access, IoAccess::kDirect);
  EXPECT_EQ(shared[1].access, IoAccess::kHostCopy);
  out.offset = 128;
  IoPlace beside[] = {in, out};
  choose_io_access(beside, kNear);
  EXPECT_EQ(beside[1].access, IoAccess::kDirect);
}

TEST(IoAccess, TwoInputsMayShareBytes) {
  IoPlace both[] = {input(128), input(64)};
  choose_io_access(both, kNear);
  for (const IoPlace& place : both) EXPECT_EQ(place.access, IoAccess::kDirect);
}

TEST(IoAccess, OnlyPlacesThatAreUsedAlikeAreWiredAlike) {
  const IoPlace place = choose(input(128));
  IoPlace other = place;
  other.size = 64;
  EXPECT_TRUE(place.is_wired_as(other));
  other.offset = 64;
  EXPECT_FALSE(place.is_wired_as(other));
  other = place;
  other.buffer = 7;
  EXPECT_FALSE(place.is_wired_as(other));
  other = place;
  other.access = IoAccess::kDeviceCopy;
  EXPECT_FALSE(place.is_wired_as(other));
  IoPlace in_slot;
  other.access = IoAccess::kHostCopy;
  EXPECT_TRUE(in_slot.is_wired_as(other)) << "wherever the host copies from";
}

}  // namespace
}  // namespace nnvk::vulkan
