// IF and WHILE inside of each other, to a depth of five, over inputs, constants and computed values.
#include "tests/device_suite/device_fixture.h"
#include "tests/support/whole_plan.h"

namespace nnvk::test {
namespace {

using enum OperandType;

enum class Source : uint8_t { kInput, kConstant, kComputed };

constexpr float kLimit = 40;  // loops end here
const Shape kOne{1};

// Control flow `kinds.size()` levels deep: an I is an IF, a W a WHILE. Every model takes a value and a flag, and returns a value.
class Nesting {
 public:
  Nesting(std::string kinds, Source source) : kinds_(std::move(kinds)), source_(source) {}

  PlanPointer plan() const {
    PlanFixture f;
    const TensorId x = f.input(kOne);
    const TensorId flag = f.input(kOne, kTensorBool8);
    TensorId value = x;
    if (source_ == Source::kConstant) value = f.constant<float>(kOne, kTensorFloat32, {kConstant});
    if (source_ == Source::kComputed) {
      value = f.temporary(kOne);
      f.node(OperationCode::kAdd, {x, x, f.scalar(0)}, {value});
    }
    add_control_flow(f, 0, {value, flag}, f.output(kOne));
    return f.plan();
  }

  // The expected result, computed here.
  float expected(float x, bool flag) const {
    return after_control_flow(source_ == Source::kComputed ? x + x : source_ == Source::kConstant ? kConstant : x, flag, 0);
  }

 private:
  static constexpr float kConstant = 3;
  struct Arguments {
    TensorId value;
    TensorId flag;
  };

  void add_control_flow(PlanFixture& f, size_t level, Arguments at, TensorId result) const {
    if (kinds_[level] == 'I') {
      f.node(OperationCode::kIf, {at.flag, f.model(step(level + 1)), f.model(tripled()), at.value, at.flag}, {result});
    } else {
      f.node(OperationCode::kWhile, {f.model(below_limit()), f.model(step(level + 1)), at.value, at.flag}, {result});
    }
  }
  // value + 1, then the control flow of this level.
  PlanPointer step(size_t level) const {
    PlanFixture f;
    const TensorId value = f.input(kOne);
    const TensorId flag = f.input(kOne, kTensorBool8);
    const bool is_last = level == kinds_.size();
    const TensorId next = is_last ? f.output(kOne) : f.temporary(kOne);
    f.node(OperationCode::kAdd, {value, f.constant<float>(kOne, kTensorFloat32, {1}), f.scalar(0)}, {next});
    if (!is_last) add_control_flow(f, level, {next, flag}, f.output(kOne));
    return f.plan();
  }
  static PlanPointer tripled() {
    PlanFixture f;
    const TensorId value = f.input(kOne);
    f.input(kOne, kTensorBool8);
    f.node(OperationCode::kMul, {value, f.constant<float>(kOne, kTensorFloat32, {3}), f.scalar(0)}, {f.output(kOne)});
    return f.plan();
  }
  static PlanPointer below_limit() {
    PlanFixture f;
    const TensorId value = f.input(kOne);
    f.input(kOne, kTensorBool8);
    f.node(OperationCode::kLess, {value, f.constant<float>(kOne, kTensorFloat32, {kLimit})}, {f.output(kOne, kTensorBool8)});
    return f.plan();
  }

  float after_step(float value, bool flag, size_t level) const {
    return level == kinds_.size() ? value + 1 : after_control_flow(value + 1, flag, level);
  }
  float after_control_flow(float value, bool flag, size_t level) const {
    if (kinds_[level] == 'I') return flag ? after_step(value, flag, level + 1) : value * 3;
    while (value < kLimit) value = after_step(value, flag, level + 1);
    return value;
  }

  std::string kinds_;
  Source source_;
};

class NestedControlFlow : public DeviceSuite {
 protected:
  void expect_right(const std::string& kinds, Source source) {
    const Nesting nesting(kinds, source);
    const auto prepared = value_of(prepare_whole(*device_, nesting.plan(), cpu::reference_evaluator()));
    for (const bool flag : {true, false}) {
      std::vector<float> x{2};
      std::vector<uint8_t> flags{static_cast<uint8_t>(flag)};
      std::vector<float> y{kUntouched};
      const Outcome outcome = execute(*prepared, {bind(x, kOne), bind(flags, kOne)}, {bind(y, kOne)});
      ASSERT_TRUE(outcome.status) << kinds << ": " << outcome.status.error().text();
      EXPECT_EQ(y[0], nesting.expected(2, flag)) << kinds << " from source " << static_cast<int>(source);
    }
  }
};
NNVK_ON_EVERY_DEVICE(NestedControlFlow);

TEST_P(NestedControlFlow, OfEveryKindAndDepthIsComputed) {
  for (size_t depth = 1; depth <= 5; ++depth) {
    for (uint32_t choice = 0; choice < 1U << depth; ++choice) {
      std::string kinds;
      for (size_t level = 0; level < depth; ++level) kinds += (choice >> level & 1) != 0 ? 'W' : 'I';
      for (const Source source : {Source::kInput, Source::kConstant, Source::kComputed}) expect_right(kinds, source);
    }
  }
}

}  // namespace
}  // namespace nnvk::test
