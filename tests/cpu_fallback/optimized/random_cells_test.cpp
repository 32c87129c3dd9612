// Recurrent cells of random sizes with constant weights, with every instruction set.
#include "core/operations/rules/sequence_layout.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"

namespace nnvk::cpu {
namespace {

using namespace test;

class RandomCells : public RandomNodes {
 protected:
  TensorId weights(PlanFixture& m, const Shape& shape) {
    return m.constant(shape, kTensorFloat32, random_bytes(kTensorFloat32, shape.element_count()));
  }
  TensorId weights_or_none(PlanFixture& m, bool is_there, const Shape& shape) {
    return is_there ? weights(m, shape) : m.omitted(kTensorFloat32);
  }
  TensorId real(PlanFixture& m, float value) { return m.constant<float>({}, kFloat32, {value}); }
  // Bounded activations only: growing values would leave little to compare.
  int32_t activation() {
    constexpr int32_t kCodes[] = {3, 4, 6};
    return kCodes[pick(0, 2)];
  }
  // Sizes of sequences. Some have more rows than what a product computes at once. Many steps would amplify rounding errors.
  SequenceLayout layout() {
    const uint32_t batch = pick(0, 3) == 0 ? pick(6, 20) : pick(1, 3);
    return {.steps = pick(1, 4), .batch = batch, .time_major = pick(0, 1) == 0};
  }
  static Shape sequence(const SequenceLayout& layout, uint32_t width) {
    return layout.time_major ? Shape{layout.steps, layout.batch, width} : Shape{layout.batch, layout.steps, width};
  }
  float clip() { return pick(0, 1) == 0 ? 0.0F : 0.1F * static_cast<float>(pick(1, 10)); }

  struct CellSizes {
    uint32_t input, units, output;
  };
  // Weights, peepholes, biases and projection of an LSTM cell.
  std::vector<TensorId> cell(PlanFixture& m, const CellSizes& size, bool projects) {
    const bool coupled = pick(0, 3) == 0;
    const bool looks = pick(0, 1) == 0;
    std::vector<TensorId> ids;
    const auto gates = [&](const Shape& shape) {
      ids.push_back(weights_or_none(m, !coupled, shape));
      for (int gate = 1; gate < 4; ++gate) ids.push_back(weights(m, shape));
    };
    gates({size.units, size.input});
    gates({size.units, size.output});
    ids.push_back(weights_or_none(m, looks && !coupled, {size.units}));
    ids.push_back(weights_or_none(m, looks, {size.units}));
    ids.push_back(weights_or_none(m, looks, {size.units}));
    gates({size.units});
    ids.push_back(weights_or_none(m, projects, {size.output, size.units}));
    ids.push_back(weights_or_none(m, projects && pick(0, 1) == 0, {size.output}));
    return ids;
  }
  static bool is_coupled(PlanFixture& m, TensorId input_gate) { return m.raw().tensors[input_gate].role == TensorRole::kOmitted; }
  // An operand per gate, or none at all.
  std::vector<TensorId> gates_or_none(PlanFixture& m, bool are_there, bool coupled, const Shape& shape) {
    std::vector<TensorId> ids = {weights_or_none(m, are_there && !coupled, shape)};
    for (int gate = 1; gate < 4; ++gate) ids.push_back(weights_or_none(m, are_there, shape));
    return ids;
  }
  void append(std::vector<TensorId>& ids, const std::vector<TensorId>& more) { ids.insert(ids.end(), more.begin(), more.end()); }
};

constexpr LayerTypes kFloats[] = {{"Floats", kTensorFloat32, kTensorFloat32}};
INSTANTIATE_TEST_SUITE_P(Types, RandomCells, ::testing::ValuesIn(kFloats), [](const auto& info) { return info.param.name; });

TEST_P(RandomCells, LstmsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const bool projects = pick(0, 2) == 0;
    const bool is_sequence = pick(0, 2) != 0;
    const SequenceLayout rows = layout();
    const uint32_t batch = rows.batch;
    const uint32_t units = pick(1, 70);
    const CellSizes size{pick(1, 40), units, projects ? pick(1, 70) : units};
    std::vector<TensorId> ids = {input(m, is_sequence ? sequence(rows, size.input) : Shape{batch, size.input})};
    append(ids, cell(m, size, projects));
    append(ids, {input(m, {batch, size.output}), input(m, {batch, units}), m.scalar(activation()), real(m, clip()),
                 real(m, projects ? clip() : 0.0F)});
    const bool coupled = is_coupled(m, ids[1]);
    const std::vector<TensorId> norms = gates_or_none(m, pick(0, 1) == 0, coupled, {units});
    if (is_sequence) {
      ids.push_back(m.flag(rows.time_major));
      append(ids, norms);
      m.node(OperationCode::kUnidirectionalSequenceLstm, ids, {m.output(sequence(rows, size.output))});
    } else {
      append(ids, norms);
      const TensorId scratch = m.output({batch, (coupled ? 3 : 4) * units});
      const std::vector<TensorId> outputs = {scratch, m.output({batch, size.output}), m.output({batch, units}),
                                             m.output({batch, size.output})};
      m.node(OperationCode::kLstm, ids, outputs);
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 100)) << "round " << round;
  }
}

TEST_P(RandomCells, BidirectionalLstmsGiveTheReferencesResults) {
  for (int round = 0; round < 30; ++round) {
    PlanFixture m;
    const bool merges = pick(0, 1) == 0;
    const SequenceLayout rows = layout();
    const uint32_t batch = rows.batch;
    const uint32_t input_size = pick(1, 20);
    const CellSizes forward{input_size, pick(1, 40), 0};
    const CellSizes backward{input_size, pick(1, 40), 0};
    std::vector<TensorId> ids = {input(m, sequence(rows, input_size))};
    for (const CellSizes& size : {forward, backward}) append(ids, cell(m, {size.input, size.units, size.units}, false));
    for (const CellSizes& size : {forward, backward}) {
      append(ids, {input(m, {batch, size.units}), input(m, {batch, size.units})});
    }
    // A second sequence: beside the first one, or in its place for the backward cell.
    const bool coupled[] = {is_coupled(m, ids[1]), is_coupled(m, ids[18])};
    const bool has_auxiliary = pick(0, 1) == 0;
    const bool is_beside = has_auxiliary && pick(0, 1) == 0;
    ids.push_back(has_auxiliary ? input(m, sequence(rows, input_size)) : m.omitted(kTensorFloat32));
    append(ids, gates_or_none(m, is_beside, coupled[0], {forward.units, input_size}));
    append(ids, gates_or_none(m, is_beside, coupled[1], {backward.units, input_size}));
    append(ids, {m.scalar(4), real(m, clip()), real(m, 0.0F), m.flag(merges), m.flag(rows.time_major)});
    const bool is_normalized = pick(0, 1) == 0;
    append(ids, gates_or_none(m, is_normalized, coupled[0], {forward.units}));
    append(ids, gates_or_none(m, is_normalized, coupled[1], {backward.units}));
    if (merges) {
      m.node(OperationCode::kBidirectionalSequenceLstm, ids, {m.output(sequence(rows, forward.units + backward.units))});
    } else {
      const TensorId first = m.output(sequence(rows, forward.units));
      m.node(OperationCode::kBidirectionalSequenceLstm, ids, {first, m.output(sequence(rows, backward.units))});
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 20)) << "round " << round;
  }
}

TEST_P(RandomCells, RnnsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const SequenceLayout rows = layout();
    const uint32_t batch = rows.batch;
    const uint32_t size = pick(1, 40);
    const uint32_t units = pick(1, 150);
    const bool is_sequence = pick(0, 2) != 0;
    std::vector<TensorId> ids = {input(m, is_sequence ? sequence(rows, size) : Shape{batch, size}),
                                 weights(m, {units, size}),
                                 weights(m, {units, units}),
                                 weights(m, {units}),
                                 input(m, {batch, units}),
                                 m.scalar(activation())};
    if (is_sequence) {
      ids.push_back(m.scalar(rows.time_major ? 1 : 0));
      m.node(OperationCode::kUnidirectionalSequenceRnn, ids, {m.output(sequence(rows, units))});
    } else {
      const TensorId state = m.output({batch, units});
      m.node(OperationCode::kRnn, ids, {state, m.output({batch, units})});
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 6 * 150)) << "round " << round;
  }
}

TEST_P(RandomCells, BidirectionalRnnsGiveTheReferencesResults) {
  for (int round = 0; round < 30; ++round) {
    PlanFixture m;
    const bool merges = pick(0, 1) == 0;
    const SequenceLayout rows = layout();
    const uint32_t batch = rows.batch;
    const uint32_t size = pick(1, 20);
    const uint32_t auxiliary = pick(1, 20);
    const bool has_auxiliary = pick(0, 1) == 0;
    const bool is_beside = has_auxiliary && pick(0, 1) == 0;
    const uint32_t units[] = {pick(1, 70), pick(1, 70)};
    std::vector<TensorId> ids = {input(m, sequence(rows, size))};
    for (int direction = 0; direction < 2; ++direction) {
      const uint32_t n = units[direction];
      const uint32_t reads = direction == 1 && has_auxiliary && !is_beside ? auxiliary : size;
      append(ids, {weights(m, {n, reads}), weights(m, {n, n}), weights(m, {n}), input(m, {batch, n})});
    }
    ids.push_back(has_auxiliary ? input(m, sequence(rows, auxiliary)) : m.omitted(kTensorFloat32));
    for (const uint32_t n : units) ids.push_back(weights_or_none(m, is_beside, {n, auxiliary}));
    append(ids, {m.scalar(activation()), m.flag(rows.time_major), m.flag(merges)});
    if (merges) {
      m.node(OperationCode::kBidirectionalSequenceRnn, ids, {m.output(sequence(rows, units[0] + units[1]))});
    } else {
      const TensorId first = m.output(sequence(rows, units[0]));
      m.node(OperationCode::kBidirectionalSequenceRnn, ids, {first, m.output(sequence(rows, units[1]))});
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 6 * 150)) << "round " << round;
  }
}

TEST_P(RandomCells, SvdfsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const uint32_t batch = pick(1, 3);
    const uint32_t size = pick(1, 60);
    const uint32_t rank = pick(1, 3);
    const uint32_t units = pick(1, 60);
    const uint32_t memory = pick(1, 12);
    const uint32_t filters = units * rank;
    const TensorId x = input(m, {batch, size});
    const TensorId features = weights(m, {filters, size});
    const TensorId times = weights(m, {filters, memory});
    const TensorId bias = weights_or_none(m, pick(0, 1) == 0, {units});
    const TensorId state = input(m, {batch, memory * filters});
    const TensorId next = m.output({batch, memory * filters});
    m.node(OperationCode::kSvdf,
           {x, features, times, bias, state, m.scalar(static_cast<int32_t>(rank)), m.scalar(pick_int(0, 3))},
           {next, m.output({batch, units})});
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 20)) << "round " << round;
  }
}

}  // namespace
}  // namespace nnvk::cpu
