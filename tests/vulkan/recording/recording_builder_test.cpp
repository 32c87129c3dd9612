// Programs built from small plans: places of bytes, data that is uploaded once, the variant of each dispatch. No GPU.
#include "vulkan/recording/recording_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "network.h"

namespace nnvk::vulkan {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Shape kShape{1, 5, 7, 4};

DeviceTraits generous() {
  DeviceTraits traits;
  traits.max_texel_elements = 1U << 27;
  return traits;
}

Resolution resolved(const Plan& plan) {
  auto resolution = resolve_declared(plan, {});
  EXPECT_TRUE(resolution) << resolution.error().message;
  return std::move(*resolution);
}

Result<BuiltPrograms> build(const Plan& plan, const DeviceTraits& traits = generous(), const ConstantIndex& resident = {}) {
  return build_programs({plan, resolved(plan)}, traits, resident, static_cast<uint32_t>(resident.size()));
}

ConstantIndex index_of(const BuiltPrograms& built) {
  ConstantIndex index;
  for (const NewConstant& constant : built.constants) index.emplace(constant.key, constant.id);
  return index;
}

TEST(RecordingBuilder, EveryPlaceIsAlignedAndInsideItsRegion) {
  const auto plan = residual_network(kShape, 3);
  const auto built = build(*plan);
  ASSERT_TRUE(built) << built.error().text();
  const DispatchProgram& program = built->main;
  ASSERT_GE(program.dispatches.size(), 5U);
  for (const ProgramDispatch& dispatch : program.dispatches) {
    ASSERT_EQ(dispatch.locations.size(), dispatch.dispatch.bindings.size());
    for (const Location& location : dispatch.locations) {
      EXPECT_EQ(location.offset % kStorageAlignment, 0U);
      const uint64_t end = location.offset + padded_size(location.size);
      if (location.region == Region::kArena) {
        EXPECT_LE(end, program.arena_size);
      } else if (location.region == Region::kIo) {
        EXPECT_LE(end, program.io_size);
      } else if (location.region == Region::kLocal) {
        EXPECT_LE(end, program.local_size);
      } else {
        EXPECT_LT(location.index, built->constants.size());
      }
    }
  }
}

TEST(RecordingBuilder, DispatchesAreOrderedByLevelAndAChainHasOneLevelEach) {
  const auto built = build(*residual_network(kShape, 3));
  ASSERT_TRUE(built);
  const auto& dispatches = built->main.dispatches;
  EXPECT_TRUE(
      std::is_sorted(dispatches.begin(), dispatches.end(), [](const auto& a, const auto& b) { return a.level < b.level; }));
  EXPECT_EQ(dispatches.back().level + 1, dispatches.size());
}

// Two storages that share arena bytes must never be in use at the same time.
TEST(RecordingBuilder, ArenaBytesAreReusedOnlyByLaterLevels) {
  const auto built = build(*residual_network(kShape, 6));
  ASSERT_TRUE(built);
  const uint64_t tensor = padded_size(kShape.element_count() * sizeof(float));
  EXPECT_LT(built->main.arena_size, 4 * tensor) << "nine temporaries, of which few live at once";
  for (const ProgramDispatch& a : built->main.dispatches) {
    for (size_t i = 0; i < a.locations.size(); ++i) {
      for (size_t j = 0; j < a.locations.size(); ++j) {
        const bool same = a.dispatch.bindings[i].tensor == a.dispatch.bindings[j].tensor;
        if (i == j || same || a.locations[i].region != Region::kArena || a.locations[j].region != Region::kArena) continue;
        EXPECT_NE(a.locations[i].offset, a.locations[j].offset);
      }
    }
  }
}

TEST(RecordingBuilder, WeightsArePackedOnceAndRawWeightsThatOnlyPackingReadsDoNotStay) {
  const auto plan = residual_network(kShape);
  const auto first = build(*plan);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->preparation.dispatches.empty());
  EXPECT_FALSE(first->preparation.local.empty()) << "the raw weights are there while they are packed";
  const TensorId weights = plan->nodes[0].inputs[1];
  const bool kept = std::any_of(first->constants.begin(), first->constants.end(), [&](const NewConstant& constant) {
    return constant.key.kind == ConstantKey::Kind::kRaw && constant.key.index == weights;
  });
  EXPECT_FALSE(kept);

  const auto second = build(*plan, generous(), index_of(*first));
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->preparation.dispatches.empty());
  EXPECT_TRUE(second->constants.empty());
  EXPECT_EQ(second->main.dispatches.size(), first->main.dispatches.size());
}

TEST(RecordingBuilder, OnlyConstantsThatADispatchBindsAreUploaded) {
  PlanFixture m;
  const TensorId x = m.input(kShape);
  random_constant(m, {100, 100}, 1);  // no node reads it
  const TensorId y = m.output(kShape);
  m.node(OperationCode::kTanh, {x}, {y});
  const auto built = build(*m.plan());
  ASSERT_TRUE(built);
  EXPECT_TRUE(built->constants.empty());
  EXPECT_EQ(built->main.local_size, 0U);
}

TEST(RecordingBuilder, AViewSharesTheBytesOfItsStorage) {
  PlanFixture m;
  const Shape flat{1, 140};
  const TensorId x = m.input(kShape);
  const TensorId a = m.temporary(kShape);
  m.node(OperationCode::kTanh, {x}, {a});
  const TensorId b = m.temporary(flat);
  add_view(m, OperationCode::kReshape, {a, m.constant<int32_t>({2}, OperandType::kTensorInt32, {1, 140})}, b);
  const TensorId y = m.output(flat);
  m.node(OperationCode::kTanh, {b}, {y});
  const auto built = build(*m.plan());
  ASSERT_TRUE(built) << built.error().text();
  ASSERT_EQ(built->main.dispatches.size(), 2U) << "the reshape does nothing";
  const Location written = built->main.dispatches[0].locations.back();
  const Location read = built->main.dispatches[1].locations.front();
  EXPECT_EQ(written.region, Region::kArena);
  EXPECT_EQ(written.offset, read.offset);
  EXPECT_EQ(built->main.dispatches[1].level, 1U) << "the reader waits for the writer of the bytes";
}

TEST(RecordingBuilder, InputsAndOutputsHaveTheirOwnPlaces) {
  const auto built = build(*residual_network(kShape));
  ASSERT_TRUE(built);
  ASSERT_EQ(built->main.inputs.size(), 1U);
  ASSERT_EQ(built->main.outputs.size(), 1U);
  const uint64_t bytes = kShape.element_count() * sizeof(float);
  EXPECT_EQ(built->main.inputs[0].size, bytes);
  EXPECT_EQ(built->main.outputs[0].size, bytes);
  EXPECT_LE(built->main.inputs[0].offset + bytes, built->main.input_end);
  EXPECT_GE(built->main.outputs[0].offset, built->main.input_end);
}

TEST(RecordingBuilder, ATensorBeyondTheTexelLimitIsReadAsWords) {
  const auto plan = residual_network(kShape);
  DeviceTraits traits = generous();
  traits.max_texel_elements = 16;  // x has 35 texels, the bias 1
  const auto built = build(*plan, traits);
  ASSERT_TRUE(built) << built.error().text();
  for (const ProgramDispatch& dispatch : built->main.dispatches) EXPECT_EQ(dispatch.variant, KernelVariant::kWords);
  const auto roomy = build(*plan);
  ASSERT_TRUE(roomy);
  for (const ProgramDispatch& dispatch : roomy->main.dispatches) EXPECT_EQ(dispatch.variant, KernelVariant::kTexel);
}

TEST(RecordingBuilder, WithoutTexelBuffersEverythingIsWords) {
  DeviceTraits traits = generous();
  traits.variants = {KernelVariant::kWords};
  const auto built = build(*residual_network(kShape), traits);
  ASSERT_TRUE(built) << built.error().text();
  for (const ProgramDispatch& dispatch : built->main.dispatches) EXPECT_EQ(dispatch.variant, KernelVariant::kWords);
  for (const ProgramDispatch& dispatch : built->preparation.dispatches) EXPECT_EQ(dispatch.variant, KernelVariant::kWords);
}

// The error of building the network for a device that cannot run it.
std::string failure_on(const DeviceTraits& traits) {
  const auto built = build(*residual_network(kShape), traits);
  EXPECT_FALSE(built);
  if (built) return "";
  EXPECT_EQ(built.error().code, Code::kResourceExhaustedPersistent);
  return built.error().text();
}

TEST(RecordingBuilder, ATensorBeyondTheStorageRangeIsAnErrorThatNamesTheOperation) {
  DeviceTraits traits = generous();
  traits.max_storage_range = 256;
  EXPECT_THAT(failure_on(traits), AllOf(HasSubstr("operation"), HasSubstr("256")));
}

TEST(RecordingBuilder, WithFourStorageBuffersInputsAreGatheredAndWithFewerThereIsAnError) {
  DeviceTraits traits = generous();
  traits.variants = {KernelVariant::kWords};
  traits.max_storage_buffers = 4;  // Vulkan's minimum
  const auto built = build(*residual_network(kShape), traits);
  EXPECT_TRUE(built) << built.error().text();
  traits.max_storage_buffers = 2;
  EXPECT_THAT(failure_on(traits), HasSubstr("storage buffers"));
}

TEST(RecordingBuilder, UnknownShapesAreAnError) {
  const auto built = build(*residual_network(Shape{1, kUnknownDimension, 7, 4}));
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().text().find("shape"), std::string::npos) << built.error().text();
}

TEST(RecordingBuilder, EmptyTensorsNeedNoDispatch) {
  PlanFixture m;
  const TensorId x = m.input({0, 4});
  const TensorId y = m.output({0, 4});
  m.node(OperationCode::kTanh, {x}, {y});
  const auto built = build(*m.plan());
  ASSERT_TRUE(built) << built.error().text();
  EXPECT_TRUE(built->main.dispatches.empty());
}

// Levels of a CONCATENATION of four tensors of this type and shape.
uint32_t concatenation_levels(OperandType type, Shape part, int32_t axis) {
  PlanFixture m;
  const float scale = is_quant8_asymm(type) ? 0.5F : 0.0F;
  std::vector<TensorId> inputs;
  for (int i = 0; i < 4; ++i) inputs.push_back(m.input(part, type, scale));
  inputs.push_back(m.scalar(axis));
  part.dims[static_cast<size_t>(axis)] *= 4;
  m.node(OperationCode::kConcatenation, inputs, {m.output(part, type, scale)});
  const auto built = build(*m.plan());
  EXPECT_TRUE(built) << built.error().text();
  return built && !built->main.dispatches.empty() ? built->main.dispatches.back().level + 1 : 0;
}

TEST(RecordingBuilder, PartsOfAConcatenationThatShareNoWordRunTogether) {
  EXPECT_EQ(concatenation_levels(OperandType::kTensorFloat32, {3, 5}, 0), 1U);
  EXPECT_EQ(concatenation_levels(OperandType::kTensorFloat32, {3, 5}, 1), 1U);
  EXPECT_EQ(concatenation_levels(OperandType::kTensorQuant8Asymm, {3, 8}, 1), 1U);
}

TEST(RecordingBuilder, PartsOfAConcatenationThatShareWordsRunOneAfterTheOther) {
  // A dispatch copies up to three parts; each part shares its last word with the next.
  EXPECT_EQ(concatenation_levels(OperandType::kTensorQuant8Asymm, {3, 5}, 1), 2U);
  EXPECT_EQ(concatenation_levels(OperandType::kTensorQuant8Asymm, {1, 5}, 1), 2U);
}

TEST(RecordingBuilder, TablesWithEqualContentsOfOneNodeShareOneUpload) {
  PlanFixture m;
  const TensorId x = m.input({1, 64}, OperandType::kTensorQuant8Asymm, 0.1F);
  const TensorId y = m.output({1, 64}, OperandType::kTensorQuant8Asymm, 1.0F / 256);
  m.node(OperationCode::kLogistic, {x}, {y});
  const auto plan = m.plan();
  const auto first = build(*plan);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(first->constants.size(), 1U);
  EXPECT_EQ(first->constants[0].key.kind, ConstantKey::Kind::kTable);
  EXPECT_EQ(first->constants[0].contents().size(), first->constants[0].size);
  const auto second = build(*plan, generous(), index_of(*first));
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->constants.empty());
}

}  // namespace
}  // namespace nnvk::vulkan
