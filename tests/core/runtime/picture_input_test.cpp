// Pictures as inputs over fake devices: order of waiting, release of memory, durations, failures.
#include "core/runtime/picture_input.h"

#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

// One pixel whose four bytes are a float; fake devices add 1 to it.
class FakePicture : public Memory {
 public:
  Result<std::span<std::byte>> map(MapAccess) const override { return fail(Code::kUnmappable, "a picture"); }
  Status check_constant_range(size_t, size_t) const override { return fail(Code::kBadData, "a picture"); }
  Status check_usable_for_constants() const override { return fail(Code::kBadData, "a picture"); }
  Status check_region(const MemoryUse&, const MemoryRegion&) const override { return {}; }
  Result<uint64_t> logical_size() const override { return fail(Code::kUnmappable, "a picture"); }
  const PictureDescription* picture() const override { return &description_; }
  Result<std::shared_ptr<const PicturePixels>> lock_picture() const override {
    if (!readable) return fail(Code::kUnmappable, "the test wants this");
    return std::make_shared<Pixels>(*this);
  }

  float value = 5.0F;
  bool readable = true;
  mutable int locks = 0;

 private:
  class Pixels : public PicturePixels {
   public:
    explicit Pixels(const FakePicture& picture) : picture_(picture) {
      ++picture_.locks;
      layout_.picture = picture_.description_;
      layout_.planes[0] = {0, 4, 4};
    }
    ~Pixels() override { --picture_.locks; }
    const PictureLayout& layout() const override { return layout_; }
    std::span<const std::byte> bytes() const override { return std::as_bytes(std::span(&picture_.value, 1)); }

   private:
    const FakePicture& picture_;
    PictureLayout layout_;
  };

  PictureDescription description_{PictureFormat::kRgba, 1, 1};
};

class PictureInputTest : public RuntimeTest {
 protected:
  PictureInputTest() : image_model_(runtime_.extensions()) { build_relu(image_model_, {1, 1, 1, 1}, {1, 1, 1, 1}); }

  std::shared_ptr<Execution> with_picture(const Compilation& compilation) {
    auto execution = Execution::create(compilation);
    EXPECT_TRUE(execution->set(true, 0, {.memory = &picture_}));
    EXPECT_TRUE(execution->set(false, 0, {.data = &result_, .length = sizeof result_}));
    return execution;
  }

  Model image_model_;
  FakePicture picture_;
  float result_ = 0;
};

TEST_F(PictureInputTest, TheModelRunsOnTheConvertedPicture) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  EXPECT_TRUE(with_picture(compilation)->compute());
  EXPECT_EQ(result_, 7.0F);  // one more by the conversion, one more by the model
  EXPECT_EQ(picture_.locks, 0);
}

TEST_F(PictureInputTest, ADeviceThatKnowsNoPicturesGetsTheTensorFromOneThatDoes) {
  const auto npu = make_device("npu", DeviceType::kAccelerator, 1.0);
  npu->changeable_info().converts_pictures = false;
  Finished compilation(image_model_, runtime_, {npu.get()});
  EXPECT_TRUE(with_picture(compilation)->compute());
  EXPECT_EQ(result_, 7.0F);
  EXPECT_EQ(npu->submissions, 1);
  EXPECT_EQ(picture_.locks, 0);
}

TEST_F(PictureInputTest, TheCallReturnsAndTheModelStartsWhenTheConversionHasEnded) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  FakePlan* const model = gpu_->last_plan;
  gpu_->behaviour.hold = true;
  auto execution = with_picture(compilation);
  auto event = value_of(execution->start_compute());
  FakePlan* const conversion = gpu_->last_plan;
  ASSERT_NE(conversion, model);
  EXPECT_EQ(model->submissions, 0U);
  EXPECT_EQ(picture_.locks, 1);
  picture_.value = 6.0F;  // the fake device has not read it yet
  EXPECT_EQ(result_, 0.0F);
  gpu_->behaviour.hold = false;
  conversion->release();
  EXPECT_TRUE(event->wait());
  EXPECT_EQ(model->submissions, 1U);
  EXPECT_EQ(result_, 8.0F);
  EXPECT_EQ(picture_.locks, 0);
}

TEST_F(PictureInputTest, SettingThePictureMakesItsConversionReady) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  const auto prepared = [&] { return compilation.shared().pictures.counters().at("prepared"); };
  auto execution = with_picture(compilation);
  EXPECT_EQ(prepared(), 1U);
  PictureConversion darker;
  darker.mean[0] = 1;
  ASSERT_TRUE(execution->set_input_picture(0, darker));
  EXPECT_EQ(prepared(), 2U);
  EXPECT_TRUE(execution->compute());
  auto other = Execution::create(compilation);
  ASSERT_TRUE(other->set_input_picture(0, darker));
  ASSERT_TRUE(other->set(true, 0, {.memory = &picture_}));
  ASSERT_TRUE(other->set(false, 0, {.data = &result_, .length = sizeof result_}));
  EXPECT_TRUE(other->compute());
  EXPECT_EQ(prepared(), 2U);
  EXPECT_EQ(compilation.shared().pictures.counters().at("prepared_while_starting"), 0U);
}

TEST_F(PictureInputTest, WhatCannotBeMadeReadyYetIsTriedAgainByTheComputation) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  picture_.readable = false;
  auto execution = with_picture(compilation);
  EXPECT_EQ(compilation.shared().pictures.counters().at("prepared"), 0U);
  picture_.readable = true;
  EXPECT_TRUE(execution->compute());
  EXPECT_EQ(compilation.shared().pictures.counters().at("prepared_while_starting"), 1U);
}

TEST_F(PictureInputTest, DurationsAreThoseOfTheConversionAndTheModel) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  auto execution = with_picture(compilation);
  ASSERT_TRUE(execution->set_measure_timing(true));
  ASSERT_TRUE(execution->set_reusable(true));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(execution->compute());
    uint64_t nanoseconds = 0;
    EXPECT_TRUE(execution->duration(DurationKind::kOnHardware, &nanoseconds));
    EXPECT_EQ(nanoseconds, 2000U);
    EXPECT_TRUE(execution->duration(DurationKind::kInDriver, &nanoseconds));
    EXPECT_EQ(nanoseconds, 4000U);
  }
}

TEST_F(PictureInputTest, AFailedConversionEndsTheComputationWithItsError) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  FakePlan* const model = gpu_->last_plan;
  gpu_->behaviour.execution_result = fail(Code::kResourceExhaustedTransient, "the test wants this");
  EXPECT_EQ(code_of(with_picture(compilation)->compute()), Code::kResourceExhaustedTransient);
  EXPECT_EQ(model->submissions, 0U);
  gpu_->behaviour.execution_result = {};
  picture_.readable = false;
  EXPECT_EQ(code_of(with_picture(compilation)->compute()), Code::kUnmappable);
  EXPECT_EQ(picture_.locks, 0);
}

TEST_F(PictureInputTest, TheFallbackConvertsAnewOnTheCpu) {
  Compilation compilation(image_model_, runtime_);
  ASSERT_TRUE(compilation.finish());
  gpu_->behaviour.execution_result = fail(Code::kOpFailed, "the test wants this");
  auto execution = with_picture(compilation);
  EXPECT_TRUE(execution->compute());
  EXPECT_EQ(result_, 7.0F);
  EXPECT_EQ(execution->summary().device, kReferenceDeviceName);
  const Counters counters = compilation.shared().pictures.counters();
  EXPECT_EQ(counters.at("prepared"), 2U);
  EXPECT_EQ(counters.at("executions"), 2U);
  EXPECT_EQ(counters.at("prepared_while_starting"), 1U) << "that of the fallback, which nobody expected";
}

TEST_F(PictureInputTest, AModelThatCannotBeSubmittedLetsThePictureGo) {
  Compilation compilation(image_model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  gpu_->behaviour.hold = true;
  auto execution = with_picture(compilation);
  auto event = value_of(execution->start_compute());
  gpu_->behaviour.submit_result = fail(Code::kResourceExhaustedTransient, "the test wants this");
  gpu_->last_plan->release();
  EXPECT_EQ(code_of(event->wait()), Code::kResourceExhaustedTransient);
  EXPECT_EQ(picture_.locks, 0);
}

}  // namespace
}  // namespace nnvk::test
