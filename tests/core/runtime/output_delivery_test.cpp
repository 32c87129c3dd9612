// The last step of every device: final shapes, sufficient or insufficient room, bytes or zeros.
#include "core/runtime/output_delivery.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/support/fake_device.h"

namespace nnvk::test {
namespace {

OperandInfo floats(Shape shape) {
  OperandInfo info;
  info.type = OperandType::kTensorFloat32;
  info.shape = std::move(shape);
  return info;
}

template <size_t kSize>
Binding binding_of(std::array<std::byte, kSize>& bytes) {
  Binding binding;
  binding.data = bytes.data();
  binding.size = bytes.size();
  return binding;
}

std::array<std::byte, 8> filled(int value) {
  std::array<std::byte, 8> bytes;
  bytes.fill(std::byte(value));
  return bytes;
}

TEST(OutputDelivery, TheComputedShapeFillsInWhatIsDeclared) {
  const auto output = settle_output(0, floats({kUnknownDimension, 3}), Shape{2, 3});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->shape, (Shape{2, 3}));
  EXPECT_EQ(output->size, 24U);
  EXPECT_FALSE(output->is_zeros);
}

TEST(OutputDelivery, AnEmptyResultBecomesZerosOfTheDeclaredSize) {
  const auto output = settle_output(0, floats({2, 1}), Shape{0, 1});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->shape, (Shape{2, 1}));
  EXPECT_TRUE(output->is_zeros);
  auto bytes = filled(1);
  EXPECT_EQ(deliver(binding_of(bytes), *output, nullptr), 8U);
  EXPECT_EQ(bytes, filled(0));
  EXPECT_EQ(deliver(binding_of(bytes), *output, bytes.data()), 8U) << "also where the result lies in place";
}

TEST(OutputDelivery, AContradictionIsAnErrorThatNamesTheOutputAndBothShapes) {
  const auto output = settle_output(7, floats({2, 3}), Shape{2, 4});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kOpFailed);
  for (const char* fact : {"output 7", "[2, 3]", "[2, 4]"}) {
    EXPECT_NE(output.error().text().find(fact), std::string::npos) << output.error().text();
  }
}

TEST(OutputDelivery, RoomIsCountedWhereverItIs) {
  auto bytes = filled(1);
  Binding binding = binding_of(bytes);
  EXPECT_TRUE(check_room(0, binding, {Shape{2}, 8}));
  const Status status = check_room(3, binding, {Shape{3}, 12});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kOutputInsufficientSize);
  EXPECT_NE(status.error().text().find("output 3 has 8 bytes, 12 are needed"), std::string::npos) << status.error().text();
  binding.data = nullptr;
  EXPECT_FALSE(check_room(0, binding, {Shape{2}, 8}));
  FakeMemory memory({16, false});
  binding.device_memory = &memory;
  binding.device_offset = 4;
  EXPECT_EQ(available_bytes(binding), 8U);  // the region that is bound
  binding.size = 100;
  EXPECT_EQ(available_bytes(binding), 12U);  // not beyond the memory
  binding.size = 0;                          // all of it
  EXPECT_TRUE(check_room(0, binding, {Shape{3}, 12}));
  EXPECT_FALSE(check_room(0, binding, {Shape{4}, 16}));
  binding.device_offset = 20;
  EXPECT_EQ(available_bytes(binding), 0U);
}

TEST(OutputDelivery, WhatIsOmittedOrGrowsHasAlwaysRoom) {
  Binding omitted;
  omitted.omitted = true;
  EXPECT_TRUE(check_room(0, omitted, {Shape{1000}, 4000}));
  EXPECT_EQ(deliver(omitted, {Shape{1000}, 4000}, nullptr), 0U);
  std::vector<std::byte> grown;
  Binding growing;
  growing.growable = &grown;
  EXPECT_TRUE(check_room(0, growing, {Shape{2}, 8}));
  const auto computed = filled(3);
  EXPECT_EQ(deliver(growing, {Shape{2}, 8}, computed.data()), 8U);
  EXPECT_EQ(std::memcmp(grown.data(), computed.data(), 8), 0);
  EXPECT_EQ(deliver(growing, {Shape{1}, 4}, grown.data()), 0U) << "in place";
  EXPECT_EQ(grown.size(), 4U);
}

TEST(OutputDelivery, OnlyTheOutputsBytesAreWritten) {
  auto bytes = filled(1);
  const auto computed = filled(2);
  EXPECT_EQ(deliver(binding_of(bytes), {Shape{1}, 4}, computed.data()), 4U);
  EXPECT_EQ(bytes[3], std::byte{2});
  EXPECT_EQ(bytes[4], std::byte{1});
  EXPECT_EQ(deliver(binding_of(bytes), {Shape{0}, 0}, nullptr), 0U);
}

}  // namespace
}  // namespace nnvk::test
