// Models of importers compiled and executed on a framework's memory.
#include "clients/compiled_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>

#include "importers/cache_token.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::clients {
namespace {

using importers::ImportedModel;
using importers::ModelBuilder;
using importers::OperandInfo;
using testing::ElementsAre;
using testing::HasSubstr;

// y = x + addend, for four numbers of a type.
ImportedModel addition(int32_t type, float addend, bool wide) {
  ModelBuilder builder = *ModelBuilder::create();
  const OperandInfo info{.type = type, .dimensions = {4}};
  const uint32_t x = *builder.add_operand(info);
  const uint32_t c = *builder.add_operand({.type = type, .dimensions = {1}});
  std::vector<uint8_t> bytes(4);
  if (type == ANEURALNETWORKS_TENSOR_FLOAT32) {
    std::memcpy(bytes.data(), &addend, 4);
  } else {
    const auto whole = static_cast<int32_t>(addend);
    std::memcpy(bytes.data(), &whole, 4);
  }
  EXPECT_TRUE(builder.set_owned_value(c, bytes));
  const uint32_t none = *builder.add_int32(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t y = *builder.add_operand(info);
  const std::array<uint32_t, 3> inputs{x, c, none};
  EXPECT_TRUE(builder.add_operation(ANEURALNETWORKS_ADD, inputs, std::span(&y, 1), "operator 0 (ADD)"));
  EXPECT_TRUE(builder.finish(std::span(&x, 1), std::span(&y, 1)));
  ImportedModel model{.builder = std::move(builder)};
  model.inputs.push_back({.name = "x", .info = info, .wide = wide});
  model.outputs.push_back({.name = "y", .info = info, .wide = wide});
  return model;
}

DeviceChoice cpu() { return *choose_devices("cpu"); }

TEST(CompiledModel, ReadsAndWritesTheCallersMemory) {
  const auto model = CompiledModel::compile(addition(ANEURALNETWORKS_TENSOR_FLOAT32, 1, false), {}, cpu());
  ASSERT_TRUE(model) << model.error().message;
  std::array<float, 4> x{1, 2, 3, 4};
  std::array<float, 4> y{};
  const InputBytes in{x.data(), sizeof x};
  void* const out = y.data();
  ASSERT_TRUE((*model)->compute(std::span(&in, 1), std::span(&out, 1)));
  EXPECT_THAT(y, ElementsAre(2, 3, 4, 5));
  x = {10, 20, 30, 40};
  ASSERT_TRUE((*model)->compute(std::span(&in, 1), std::span(&out, 1)));
  EXPECT_THAT(y, ElementsAre(11, 21, 31, 41));
}

TEST(CompiledModel, ConvertsNumbersOf64Bits) {
  const auto model = CompiledModel::compile(addition(ANEURALNETWORKS_TENSOR_INT32, -1, true), {}, cpu());
  ASSERT_TRUE(model) << model.error().message;
  std::array<int64_t, 4> x{1, 2, 3, -4};
  std::array<int64_t, 4> y{};
  const InputBytes in{x.data(), sizeof x};
  void* const out = y.data();
  ASSERT_TRUE((*model)->compute(std::span(&in, 1), std::span(&out, 1)));
  EXPECT_THAT(y, ElementsAre(0, 1, 2, -5));
  x[2] = int64_t{1} << 40;
  const Status status = (*model)->compute(std::span(&in, 1), std::span(&out, 1));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("input 'x' has the value 1099511627776 at element 2"));
}

TEST(CompiledModel, RefusesInputsOfAnotherSize) {
  const auto model = CompiledModel::compile(addition(ANEURALNETWORKS_TENSOR_FLOAT32, 1, false), {}, cpu());
  ASSERT_TRUE(model) << model.error().message;
  std::array<float, 4> x{};
  std::array<float, 4> y{};
  const InputBytes in{x.data(), 12};
  void* const out = y.data();
  const Status status = (*model)->compute(std::span(&in, 1), std::span(&out, 1));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("input 'x' has 12 bytes"));
}

TEST(CompiledModel, ServesThreadsAtTheSameTime) {
  const auto model = CompiledModel::compile(addition(ANEURALNETWORKS_TENSOR_FLOAT32, 1, false), {}, cpu());
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::array<float, 4> x{static_cast<float>(t), static_cast<float>(i), 0, 0};
        std::array<float, 4> y{};
        const InputBytes in{x.data(), sizeof x};
        void* const out = y.data();
        const bool good = (*model)->compute(std::span(&in, 1), std::span(&out, 1)).has_value() &&
                          y == std::array<float, 4>{x[0] + 1, x[1] + 1, 1, 1};
        if (!good) ++wrong[static_cast<size_t>(t)];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST(CompiledModel, KeepsItsCompilationInTheCacheFolder) {
  const auto vulkan = choose_devices("vulkan");
  if (!vulkan) GTEST_SKIP() << vulkan.error().message;  // CPU devices have nothing to keep
  const test::TemporaryFolder folder;
  const PluginOptions options{.cache_directory = folder.path()};
  ASSERT_TRUE(CompiledModel::compile(addition(ANEURALNETWORKS_TENSOR_FLOAT32, 1, false), options, *vulkan));
  EXPECT_FALSE(folder.names().empty());
}

TEST(CacheToken, DependsOnConstantsPrecisionAndDevices) {
  const auto token = [](float addend, bool relaxed, const DeviceChoice& devices) {
    return importers::cache_token(addition(ANEURALNETWORKS_TENSOR_FLOAT32, addend, false), relaxed, devices.entries,
                                  devices.automatic);
  };
  const auto one = token(1, false, cpu());
  EXPECT_EQ(one, token(1, false, cpu()));
  EXPECT_NE(one, token(2, false, cpu()));
  EXPECT_NE(one, token(1, true, cpu()));
  EXPECT_NE(one, token(1, false, *choose_devices("nnapi-reference")));
}

TEST(DeviceChoice, LeavesTheChoiceToTheLibraryOrNamesWhatThereIs) {
  const auto automatic = choose_devices("");
  ASSERT_TRUE(automatic);
  EXPECT_TRUE(automatic->automatic);
  EXPECT_FALSE(automatic->entries.empty());
  EXPECT_FALSE(cpu().automatic);
  const auto unknown = choose_devices("abacus");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("abacus"));
  EXPECT_THAT(unknown.error().message, HasSubstr("nnapi-reference"));
}

}  // namespace
}  // namespace nnvk::clients
