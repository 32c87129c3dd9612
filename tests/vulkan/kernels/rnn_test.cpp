// RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN and SVDF on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

const std::vector<OperandType> kFloatTypes = {OperandType::kTensorFloat32, OperandType::kTensorFloat16};

struct RnnCase {
  OperationCode code = OperationCode::kUnidirectionalSequenceRnn;
  uint32_t time = 1;
  uint32_t batches = 1;
  uint32_t input_size = 1;
  uint32_t units = 1;
  int32_t activation = 4;
  bool time_major = true;
  bool states = true;  // state outputs
  bool constant_weights = true;
  // BIDIRECTIONAL_SEQUENCE_RNN only.
  uint32_t backward_units = 1;
  uint32_t auxiliary_size = 0;  // 0: none
  bool auxiliary_weights = false;
  bool merged = false;
};

class RnnBuilder {
 public:
  RnnBuilder(OperandType type, const RnnCase& c) : node_(c.code), type_(type), c_(c) {}

  OneNode build() {
    const bool bidirectional = c_.code == OperationCode::kBidirectionalSequenceRnn;
    add_sequence(c_.input_size);
    add_cell(c_.units, c_.input_size);
    if (bidirectional) {
      add_cell(c_.backward_units, c_.auxiliary_size != 0 && !c_.auxiliary_weights ? c_.auxiliary_size : c_.input_size);
      if (c_.auxiliary_size != 0) {
        add_sequence(c_.auxiliary_size);
      } else {
        node_.omitted(type_);
      }
      for (const uint32_t units : {c_.units, c_.backward_units}) {
        if (c_.auxiliary_weights) {
          weights({units, c_.auxiliary_size});
        } else {
          node_.omitted(type_);
        }
      }
    }
    node_.scalar(c_.activation);
    if (bidirectional) {
      node_.scalar(c_.time_major).scalar(c_.merged);
    } else if (c_.code == OperationCode::kUnidirectionalSequenceRnn) {
      node_.scalar(c_.time_major ? 1 : 0);
    }
    const size_t sequences = bidirectional && !c_.merged ? 2 : 1;
    const size_t states = c_.states || c_.code == OperationCode::kRnn ? (bidirectional ? 2 : 1) : 0;
    for (size_t i = 0; i < sequences + states; ++i) node_.output(tensor(type_, Shape::unknown_rank()));
    return node_;
  }

 private:
  void add_sequence(uint32_t size) {
    const Shape shape = c_.code == OperationCode::kRnn ? Shape{c_.batches, size}
                        : c_.time_major                ? Shape{c_.time, c_.batches, size}
                                                       : Shape{c_.batches, c_.time, size};
    node_.random_input(tensor(type_, shape), seed_++, 1.0F);
  }
  void weights(const Shape& shape) {
    // Sums stay near one, so that neither tanh nor a clamp hides differences.
    const float range = 1.5F / std::sqrt(static_cast<float>(shape.dims.back()));
    if (c_.constant_weights) {
      node_.random_constant(tensor(type_, shape), seed_++, range);
    } else {
      node_.random_input(tensor(type_, shape), seed_++, range);
    }
  }
  void add_cell(uint32_t units, uint32_t input_size) {
    weights({units, input_size});
    weights({units, units});
    node_.random_constant(tensor(type_, {units}), seed_++, 0.5F);
    node_.random_input(tensor(type_, {c_.batches, units}), seed_++, 1.0F);
  }

  OneNode node_;
  OperandType type_;
  RnnCase c_;
  uint32_t seed_ = 51;
};

// Results feed back into the next steps, which lets differences grow a little.
void expect_agrees(const RnnCase& c) {
  for (const OperandType type : kFloatTypes) {
    const Tolerance tolerance = type == OperandType::kTensorFloat32 ? Tolerance{2e-5, 1e-5} : kHalfTolerance;
    expect_same_as_reference(RnnBuilder(type, c).build(), tolerance);
  }
}

TEST(RnnKernel, StepsOfAllKindsOfSizesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t batches : {1U, 2U, 5U}) {
    expect_agrees({.code = OperationCode::kRnn, .batches = batches, .input_size = 1, .units = 1});
    expect_agrees({.code = OperationCode::kRnn, .batches = batches, .input_size = 8, .units = 16});
    expect_agrees({.code = OperationCode::kRnn, .batches = batches, .input_size = 7, .units = 13});
  }
}

TEST(RnnKernel, EveryActivationAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (const int32_t activation : {0, 1, 2, 3, 4, 6}) {
    expect_agrees({.code = OperationCode::kRnn, .batches = 3, .input_size = 6, .units = 10, .activation = activation});
  }
}

TEST(RnnKernel, SequencesAgreeInBothLayouts) {
  NNVK_REQUIRE_VULKAN();
  for (const bool time_major : {false, true}) {
    for (const bool states : {false, true}) {
      expect_agrees({.time = 5, .batches = 3, .input_size = 6, .units = 5, .time_major = time_major, .states = states});
      expect_agrees({.time = 4, .batches = 2, .input_size = 8, .units = 12, .time_major = time_major, .states = states});
    }
  }
  expect_agrees({.time = 3, .batches = 2, .input_size = 4, .units = 40, .activation = 6, .constant_weights = false});
}

TEST(RnnKernel, BothDirectionsAgreeWithEveryLinkAndMerge) {
  NNVK_REQUIRE_VULKAN();
  RnnCase c{.code = OperationCode::kBidirectionalSequenceRnn, .time = 3, .batches = 2, .input_size = 5, .units = 6};
  c.backward_units = 3;
  for (const bool merged : {false, true}) {
    for (const bool time_major : {false, true}) {
      c.merged = merged;
      c.time_major = time_major;
      c.states = merged == time_major;
      c.auxiliary_size = 0;
      c.auxiliary_weights = false;
      expect_agrees(c);
      c.auxiliary_size = 7;
      expect_agrees(c);
      c.auxiliary_weights = true;
      expect_agrees(c);
    }
  }
}

TEST(RnnKernel, ActivationsThatDoNotExistFailAlike) {
  NNVK_REQUIRE_VULKAN();
  expect_same_failure(RnnBuilder(OperandType::kTensorFloat32, {.code = OperationCode::kRnn, .activation = 5}).build());
  expect_same_failure(RnnBuilder(OperandType::kTensorFloat32, {.activation = 2}).build());
}

struct SvdfCase {
  uint32_t batches = 1;
  uint32_t input_size = 1;
  uint32_t units = 1;
  uint32_t rank = 1;
  uint32_t memory = 1;
  bool bias = true;
  int32_t activation = 0;
  bool constant_weights = true;
};

OneNode svdf(OperandType type, const SvdfCase& c) {
  const uint32_t filters = c.units * c.rank;
  OneNode node(OperationCode::kSvdf);
  const auto weights = [&](const Shape& shape, uint32_t seed) {
    if (c.constant_weights) {
      node.random_constant(tensor(type, shape), seed, 1.0F);
    } else {
      node.random_input(tensor(type, shape), seed, 1.0F);
    }
  };
  node.random_input(tensor(type, {c.batches, c.input_size}), 71, 1.0F);
  weights({filters, c.input_size}, 72);
  weights({filters, c.memory}, 73);
  if (c.bias) {
    node.random_constant(tensor(type, {c.units}), 74, 1.0F);
  } else {
    node.omitted(type);
  }
  node.random_input(tensor(type, {c.batches, filters * c.memory}), 75, 1.0F);
  node.scalar(static_cast<int32_t>(c.rank)).scalar(c.activation);
  return node.output(tensor(type, Shape::unknown_rank())).output(tensor(type, Shape::unknown_rank()));
}

TEST(SvdfKernel, RanksMemoriesAndSizesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kFloatTypes) {
    const Tolerance tolerance = type == OperandType::kTensorFloat32 ? Tolerance{5e-5, 1e-5} : kHalfTolerance;
    for (const uint32_t memory : {1U, 2U, 3U, 10U}) {
      for (const uint32_t rank : {1U, 2U, 3U}) {
        expect_same_as_reference(svdf(type, {2, 3, 4, rank, memory}), tolerance);
        expect_same_as_reference(svdf(type, {3, 8, 5, rank, memory, false, 1}), tolerance);
      }
    }
    expect_same_as_reference(svdf(type, {.batches = 1, .input_size = 20, .units = 33, .memory = 5, .activation = 2}), tolerance);
    expect_same_as_reference(svdf(type, {.batches = 2, .input_size = 4, .units = 4, .activation = 3, .constant_weights = false}),
                             tolerance);
  }
}

// Longer sums than an invocation makes in one dispatch (vulkan/kernels/bounded_work.h), with chunks that end within a memory and
// at the newest entry of one.
TEST(SvdfKernel, LongMemoriesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kFloatTypes) {
    const Tolerance tolerance = type == OperandType::kTensorFloat32 ? Tolerance{5e-3, 1e-4} : Tolerance{0.1, 5.0 / 1024};
    expect_same_as_reference(svdf(type, {.batches = 2, .input_size = 2, .units = 3, .rank = 1, .memory = 70001}), tolerance);
    expect_same_as_reference(svdf(type, {.input_size = 2, .units = 2, .rank = 5, .memory = 16384, .bias = false}), tolerance);
    expect_same_as_reference(svdf(type, {.input_size = 1, .units = 1, .rank = 70003, .memory = 2}), tolerance);
  }
}

TEST(RnnKernel, LongInputsAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.time = 2, .batches = 2, .input_size = 70001, .units = 3});
  expect_agrees({.code = OperationCode::kRnn, .batches = 5, .input_size = 280000, .units = 2});
}

}  // namespace
}  // namespace nnvk::vulkan::rig
