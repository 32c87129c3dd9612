// Memory of a device: allocation, reads and writes without blocking, binding, growth. Devices without memory must say so.
#include <array>

#include "tests/device_suite/device_fixture.h"
#include "tests/support/fake_device.h"

namespace nnvk::test {
namespace {

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

std::vector<float> floats_in(const DeviceMemory& memory, size_t count) {
  std::vector<float> values(count, kUntouched);
  const auto done = memory.read(std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(done && done->wait());
  return values;
}

void fill(DeviceMemory& memory, const std::vector<float>& values) {
  const auto done = value_of(memory.write(bytes_of(values)));
  EXPECT_TRUE(done.wait());
}

std::vector<DeviceRow> rows_with_memory(bool wanted) {
  std::vector<DeviceRow> rows;
  for (const DeviceRow& row : device_rows()) {
    if (row.has_memory == wanted) rows.push_back(row);
  }
  return rows;
}
std::string row_name(const ::testing::TestParamInfo<DeviceRow>& info) { return info.param.name; }

class DevicesWithMemory : public DeviceSuite {};
INSTANTIATE_TEST_SUITE_P(Devices, DevicesWithMemory, ::testing::ValuesIn(rows_with_memory(true)), row_name);

class DevicesWithoutMemory : public DeviceSuite {};
INSTANTIATE_TEST_SUITE_P(Devices, DevicesWithoutMemory, ::testing::ValuesIn(rows_with_memory(false)), row_name);

class ForeignMemory : public DeviceSuite {};
NNVK_ON_EVERY_DEVICE(ForeignMemory);

const std::vector<float> kValues{1, 2, 3, 4};

TEST_P(DevicesWithoutMemory, SayThatTheyHaveNone) {
  EXPECT_EQ(code_of(device_->allocate({16, false})), Code::kOpFailed);
  EXPECT_EQ(code_of(device_->allocate({0, true})), Code::kOpFailed);
}

TEST_P(DevicesWithMemory, WhatIsWrittenIsRead) {
  const auto memory = allocate(16);
  EXPECT_EQ(memory->size(), 16U);
  EXPECT_FALSE(memory->grows());
  fill(*memory, kValues);
  EXPECT_EQ(floats_in(*memory, 4), kValues);
  fill(*memory, {9, 8});
  EXPECT_EQ(floats_in(*memory, 4), (std::vector<float>{9, 8, 3, 4})) << "the first bytes are replaced";
  EXPECT_EQ(floats_in(*memory, 1), std::vector<float>{9});
}

TEST_P(DevicesWithMemory, MemoryOfAKnownSizeStaysThatSize) {
  const auto memory = allocate(8);
  EXPECT_EQ(code_of(memory->write(bytes_of(kValues))), Code::kBadData);
  std::vector<float> many(4);
  EXPECT_EQ(code_of(memory->read(std::as_writable_bytes(std::span(many)))), Code::kBadData);
  EXPECT_EQ(memory->size(), 8U);
  const auto prepared = prepare(small_network());
  SmallRun run;
  const Outcome small = execute(*prepared, run.inputs(), {bind(*memory, {4})});
  EXPECT_EQ(small.code(), Code::kOutputInsufficientSize);
  ASSERT_EQ(small.report->outputs.size(), 1U);
  EXPECT_EQ(small.report->outputs[0].shape, Shape{4});
  EXPECT_FALSE(small.report->outputs[0].sufficient);
  EXPECT_EQ(execute(*prepared, {bind(*memory, {4}), bind(run.b, {4})}, run.outputs()).code(), Code::kBadData);
}

TEST_P(DevicesWithMemory, MemoryThatGrowsIsAsLargeAsWhatWasWritten) {
  const auto memory = allocate(0, true);
  EXPECT_TRUE(memory->grows());
  EXPECT_EQ(memory->size(), 0U);
  fill(*memory, kValues);
  EXPECT_EQ(memory->size(), 16U);
  fill(*memory, {7});
  EXPECT_EQ(memory->size(), 4U);
  const auto prepared = prepare(small_network({kUnknownDimension}));
  SmallRun run(0, 300);
  ASSERT_TRUE(execute(*prepared, run.inputs(), {bind(*memory, {kUnknownDimension})}).status);
  EXPECT_EQ(memory->size(), 300 * sizeof(float));
  run.y = floats_in(*memory, 300);
  EXPECT_TRUE(run.is_right());
}

TEST_P(DevicesWithMemory, ExecutionsHandItOnToEachOther) {
  const auto prepared = prepare(small_network());
  const auto first = allocate(16);
  const auto second = allocate(16);
  for (const bool is_input : {true, false}) EXPECT_TRUE(prepared->takes_device_memory(*first, is_input, 0));
  SmallRun run(0.5F);
  fill(*first, run.a);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(execute(*prepared, {bind(*first, {4}), bind(run.b, {4})}, {bind(*second, {4})}).status);
    run.y = floats_in(*second, 4);
    EXPECT_TRUE(run.is_right());
    ASSERT_TRUE(execute(*prepared, {bind(*second, {4}), bind(run.b, {4})}, {bind(*first, {4})}).status);
    run.a = run.y;
    run.y = floats_in(*first, 4);
    EXPECT_TRUE(run.is_right());
    run.a = run.y;
  }
}

TEST_P(DevicesWithMemory, ABindingMayBeginAnywhereInIt) {
  const auto prepared = prepare(small_network());
  const auto memory = allocate(20);
  SmallRun run;
  std::vector<float> shifted{77};
  shifted.insert(shifted.end(), run.a.begin(), run.a.end());
  fill(*memory, shifted);
  ASSERT_TRUE(execute(*prepared, {bind(*memory, {4}, sizeof(float)), bind(run.b, {4})}, run.outputs()).status);
  EXPECT_TRUE(run.is_right());
  ASSERT_TRUE(execute(*prepared, run.inputs(), {bind(*memory, {4}, sizeof(float))}).status);
  const std::vector<float> after = floats_in(*memory, 5);
  EXPECT_EQ(after[0], 77.0F);
  run.y.assign(after.begin() + 1, after.end());
  EXPECT_TRUE(run.is_right());
}

TEST_P(DevicesWithMemory, WhatCannotBeHadIsAnError) {
  for (const int bit : {60, 63}) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // sanitizers abort on such large allocations
    if (bit == 60) continue;
#endif
    const auto memory = device_->allocate({uint64_t{1} << bit, false});
    ASSERT_FALSE(memory) << bit;
    EXPECT_THAT(memory.error().code, ::testing::AnyOf(Code::kOutOfMemory, Code::kResourceExhaustedPersistent,
                                                      Code::kResourceExhaustedTransient, Code::kOpFailed));
  }
  EXPECT_TRUE(allocate(16));
}

TEST_P(ForeignMemory, IsNotTaken) {
  const auto prepared = prepare(small_network());
  FakeMemory of_another_kind({16, false});
  const std::unique_ptr<Device> twin = GetParam().make();
  const auto of_twin = twin->allocate({16, false});
  SmallRun run;
  for (DeviceMemory* const foreign : {static_cast<DeviceMemory*>(&of_another_kind), of_twin ? of_twin->get() : nullptr}) {
    if (foreign == nullptr) continue;
    for (const bool is_input : {true, false}) EXPECT_FALSE(prepared->takes_device_memory(*foreign, is_input, 0));
    EXPECT_EQ(execute(*prepared, {bind(*foreign, {4}), bind(run.b, {4})}, run.outputs()).code(), Code::kBadData);
    EXPECT_EQ(execute(*prepared, run.inputs(), {bind(*foreign, {4})}).code(), Code::kBadData);
  }
  EXPECT_EQ(run.y[0], kUntouched);
}

}  // namespace
}  // namespace nnvk::test
