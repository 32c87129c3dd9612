// Operations that only move elements, of random shapes and elements of every width.
#include <algorithm>

#include "tests/cpu_fallback/optimized/random_nodes.h"

namespace nnvk::cpu {
namespace {

using namespace test;

constexpr LayerTypes kElementTypes[] = {
    {"Floats", kTensorFloat32, kTensorFloat32},
    {"Halves", kTensorFloat16, kTensorFloat16},
    {"Bytes", kTensorQuant8Asymm, kTensorQuant8Asymm},
    {"SignedBytes", kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned},
};

class RandomMoves : public RandomNodes {
 protected:
  // The output of a move is quantized like its input.
  TensorId moved(PlanFixture& m, const Shape& shape) {
    const OperandInfo& in = m.raw().tensors[m.raw().inputs[0]].info;
    return m.output(shape, in.type, in.scale, in.zero_point);
  }
  TensorId ints(PlanFixture& m, const Shape& shape, const std::vector<int32_t>& values) {
    return m.constant(shape, kTensorInt32, values);
  }
  TensorId list(PlanFixture& m, const std::vector<int32_t>& values) {
    return ints(m, {static_cast<uint32_t>(values.size())}, values);
  }
  // Sizes around those of tiles and blocks; at most so many elements that the reference is quick.
  Shape random_shape(uint32_t rank) {
    Shape shape;
    for (uint32_t d = 0; d < rank; ++d) shape.dims.push_back(pick(0, 1) == 0 ? pick(1, 9) : pick(1, 40));
    if (pick(0, 4) == 0) shape.dims[pick(0, rank - 1)] = pick(60, 150);
    while (shape.element_count() > 40000) *std::ranges::max_element(shape.dims) /= 2;
    return shape;
  }
  // With every instruction set for those moves that use vectors.
  void expect_same(PlanFixture& m, int round) {
    const OperationCode code = m.raw().nodes[0].code;
    const bool turns = code == OperationCode::kTranspose || code == OperationCode::kChannelShuffle;
    ASSERT_NO_FATAL_FAILURE(turns ? expect_equal_everywhere(m, 0) : expect_equal(m, 0))
        << "round " << round << ", shape " << m.raw().tensors[m.raw().inputs[0]].info.shape.to_string();
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RandomMoves, ::testing::ValuesIn(kElementTypes),
                         [](const auto& info) { return info.param.name; });

TEST_P(RandomMoves, TransposesGiveTheReferencesResults) {
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    const Shape shape = random_shape(pick(2, 4));
    std::vector<int32_t> order(shape.rank());
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int32_t>(d);
    std::ranges::shuffle(order, random_);
    Shape turned;
    for (const int32_t d : order) turned.dims.push_back(shape[static_cast<size_t>(d)]);
    const TensorId x = input(m, shape);
    m.node(OperationCode::kTranspose, {x, list(m, order)}, {moved(m, turned)});
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, PaddingGivesTheReferencesResults) {
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    const Shape shape = random_shape(pick(1, 4));
    const bool mirrors = pick(0, 1) == 0;
    const bool reflects = pick(0, 1) == 0;
    std::vector<int32_t> paddings;
    Shape padded = shape;
    for (uint32_t& size : padded.dims) {
      const uint32_t most = mirrors ? size - (reflects ? 1 : 0) : 5;
      const bool is_padded = pick(0, 2) != 0;
      const uint32_t before = is_padded ? pick(0, std::min(most, 20U)) : 0;
      const uint32_t after = is_padded ? pick(0, std::min(most, 20U)) : 0;
      paddings.push_back(static_cast<int32_t>(before));
      paddings.push_back(static_cast<int32_t>(after));
      size += before + after;
    }
    const TensorId x = input(m, shape);
    const TensorId p = ints(m, {static_cast<uint32_t>(shape.rank()), 2}, paddings);
    if (mirrors) {
      m.node(OperationCode::kMirrorPad, {x, p, m.scalar(reflects ? 0 : 1)}, {moved(m, padded)});
    } else {
      m.node(OperationCode::kPad, {x, p}, {moved(m, padded)});
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, SlicesGiveTheReferencesResults) {
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    const Shape shape = random_shape(pick(1, 4));
    std::vector<int32_t> begins;
    std::vector<int32_t> ends;
    std::vector<int32_t> lengths;
    std::vector<int32_t> strides;
    Shape sliced = shape;
    Shape strided = shape;
    for (size_t d = 0; d < shape.rank(); ++d) {
      const auto size = static_cast<int32_t>(shape[d]);
      const int32_t begin = pick_int(0, shape[d] - 1);
      const int32_t length = pick_int(1, shape[d] - static_cast<uint32_t>(begin));
      const bool backward = pick(0, 3) == 0;
      const int32_t stride = pick_int(1, 3);
      begins.push_back(backward ? begin + length - 1 : begin);
      ends.push_back(backward ? begin - 1 - (begin == 0 ? size : 0) : begin + length);
      lengths.push_back(length);
      strides.push_back(backward ? -stride : stride);
      sliced.dims[d] = static_cast<uint32_t>(length);
      strided.dims[d] = static_cast<uint32_t>((length + stride - 1) / stride);
    }
    const TensorId x = input(m, shape);
    if (pick(0, 1) == 0) {
      for (size_t d = 0; d < shape.rank(); ++d) begins[d] -= strides[d] < 0 ? lengths[d] - 1 : 0;
      m.node(OperationCode::kSlice, {x, list(m, begins), list(m, lengths)}, {moved(m, sliced)});
    } else {
      m.node(OperationCode::kStridedSlice,
             {x, list(m, begins), list(m, ends), list(m, strides), m.scalar(0), m.scalar(0), m.scalar(0)}, {moved(m, strided)});
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, JoinedTensorsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    Shape shape = random_shape(pick(1, 4));
    const size_t axis = pick(0, static_cast<uint32_t>(shape.rank()) - 1);
    const uint32_t count = pick(1, 4);
    const bool packs = pick(0, 2) == 0 && shape.rank() < 4;
    std::vector<TensorId> inputs;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (!packs) shape.dims[axis] = pick(1, 9);
      sum += shape[axis];
      inputs.push_back(input(m, shape));  // with its own zero point
      if (packs) m.raw().tensors[inputs[i]].info.zero_point = m.raw().tensors[inputs[0]].info.zero_point;
    }
    const auto axis_scalar = m.scalar(static_cast<int32_t>(axis));
    Shape joined = shape;
    if (packs) {
      joined.dims.insert(joined.dims.begin() + static_cast<ptrdiff_t>(axis), count);
      inputs.insert(inputs.begin(), axis_scalar);
    } else {
      joined.dims[axis] = sum;
      inputs.push_back(axis_scalar);
    }
    m.node(packs ? OperationCode::kPack : OperationCode::kConcatenation, inputs, {moved(m, joined)});
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, PartsAndRepetitionsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    Shape shape = random_shape(pick(1, 4));
    const size_t axis = pick(0, static_cast<uint32_t>(shape.rank()) - 1);
    switch (pick(0, 2)) {
      case 0: {
        const uint32_t parts = pick(1, 4);
        shape.dims[axis] *= parts;
        const TensorId x = input(m, shape);
        shape.dims[axis] /= parts;
        std::vector<TensorId> outputs;
        for (uint32_t i = 0; i < parts; ++i) outputs.push_back(moved(m, shape));
        m.node(OperationCode::kSplit, {x, m.scalar(static_cast<int32_t>(axis)), m.scalar(static_cast<int32_t>(parts))}, outputs);
        break;
      }
      case 1: {
        const TensorId x = input(m, shape);
        std::vector<int32_t> multiples;
        for (uint32_t& size : shape.dims) {
          multiples.push_back(pick_int(1, 3));
          size *= static_cast<uint32_t>(multiples.back());
        }
        m.node(OperationCode::kTile, {x, list(m, multiples)}, {moved(m, shape)});
        break;
      }
      default: {
        const TensorId x = input(m, shape);
        m.node(OperationCode::kReverse, {x, list(m, {static_cast<int32_t>(axis)})}, {moved(m, shape)});
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, BlocksGiveTheReferencesResults) {
  for (int round = 0; round < 80; ++round) {
    PlanFixture m;
    const bool nchw = pick(0, 1) == 0;
    const uint32_t block = pick(1, 3);
    const uint32_t batches = pick(1, 2);
    const uint32_t height = pick(1, 12);
    const uint32_t width = pick(1, 12);
    const uint32_t channels = pick(1, 20);
    const auto image = [&](uint32_t n, uint32_t h, uint32_t w, uint32_t c) {
      return nchw ? Shape{n, c, h, w} : Shape{n, h, w, c};
    };
    const uint32_t cells = block * block;
    const Shape small = image(batches, height, width, channels * cells);
    const Shape large = image(batches, height * block, width * block, channels);
    const Shape many = image(batches * cells, height, width, channels);
    const auto size = static_cast<int32_t>(block);
    switch (pick(0, 3)) {
      case 0: {
        const TensorId x = input(m, small);
        m.node(OperationCode::kDepthToSpace, {x, m.scalar(size), m.flag(nchw)}, {moved(m, large)});
        break;
      }
      case 1: {
        const TensorId x = input(m, large);
        m.node(OperationCode::kSpaceToDepth, {x, m.scalar(size), m.flag(nchw)}, {moved(m, small)});
        break;
      }
      case 2: {
        const TensorId x = input(m, many);
        m.node(OperationCode::kBatchToSpaceNd, {x, list(m, {size, size}), m.flag(nchw)}, {moved(m, large)});
        break;
      }
      default: {
        const uint32_t top = pick(0, height * block - 1);
        const uint32_t left = pick(0, width * block - 1);
        const TensorId x = input(m, image(batches, height * block - top, width * block - left, channels));
        const std::vector<int32_t> paddings = {static_cast<int32_t>(top), 0, 0, static_cast<int32_t>(left)};
        m.node(OperationCode::kSpaceToBatchNd, {x, list(m, {size, size}), ints(m, {2, 2}, paddings), m.flag(nchw)},
               {moved(m, many)});
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, ShuffledChannelsGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    Shape shape = random_shape(pick(1, 4));
    const size_t axis = pick(0, static_cast<uint32_t>(shape.rank()) - 1);
    const uint32_t groups = pick(1, 4);
    shape.dims[axis] *= groups;
    const TensorId x = input(m, shape);
    m.node(OperationCode::kChannelShuffle, {x, m.scalar(static_cast<int32_t>(groups)), m.scalar(static_cast<int32_t>(axis))},
           {moved(m, shape)});
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

// The indices are an input, so that both the number of slices and their size vary.
TEST_P(RandomMoves, GatheredSlicesGiveTheReferencesResults) {
  for (int round = 0; round < 60; ++round) {
    PlanFixture m;
    const Shape shape = random_shape(pick(1, 4));
    const bool is_lookup = shape.rank() > 1 && pick(0, 2) == 0;
    const size_t axis = is_lookup ? 0 : pick(0, static_cast<uint32_t>(shape.rank()) - 1);
    const uint32_t count = pick(1, 30);
    Shape gathered = shape;
    gathered.dims[axis] = count;
    std::vector<std::byte> indices(count * sizeof(int32_t));
    for (uint32_t k = 0; k < count; ++k) {
      const int32_t index = pick_int(0, shape[axis] - 1);
      std::memcpy(indices.data() + k * sizeof index, &index, sizeof index);
    }
    const TensorId x = input(m, shape);
    const TensorId i = m.input({count}, kTensorInt32);
    inputs_.push_back(indices);
    if (is_lookup) {
      m.node(OperationCode::kEmbeddingLookup, {i, x}, {moved(m, gathered)});
    } else {
      m.node(OperationCode::kGather, {x, m.scalar(static_cast<int32_t>(axis)), i}, {moved(m, gathered)});
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(m, round));
  }
}

TEST_P(RandomMoves, IndicesOutsideAreRefused) {
  for (const int32_t index : {-1, 5, INT32_MIN, INT32_MAX}) {
    PlanFixture m;
    const TensorId x = input(m, {5, 3});
    const TensorId i = m.input({2}, kTensorInt32);
    std::vector<std::byte> indices(2 * sizeof index);
    std::memcpy(indices.data() + sizeof index, &index, sizeof index);
    inputs_.push_back(indices);
    m.node(OperationCode::kGather, {x, m.scalar(0), i}, {moved(m, {2, 3})});
    EXPECT_THROW(run(*device_, m, Guard::kBehind), std::runtime_error) << index;
    inputs_.clear();
  }
}

TEST_P(RandomMoves, LargeTensorsAreSplitOverThreads) {
  PlanFixture whole;
  const TensorId x = input(whole, {1, 700, 900});
  whole.node(OperationCode::kExpandDims, {x, whole.scalar(0)}, {moved(whole, {1, 1, 700, 900})});
  ASSERT_NO_FATAL_FAILURE(expect_same(whole, 0));
  PlanFixture turned;
  const TensorId y = input(turned, {2, 333, 517});
  turned.node(OperationCode::kTranspose, {y, list(turned, {0, 2, 1})}, {moved(turned, {2, 517, 333})});
  ASSERT_NO_FATAL_FAILURE(expect_same(turned, 1));
  PlanFixture padded;
  const TensorId z = input(padded, {3, 70, 90, 21});
  padded.node(OperationCode::kPad, {z, ints(padded, {4, 2}, {1, 1, 2, 3, 4, 5, 0, 7})}, {moved(padded, {5, 75, 99, 28})});
  ASSERT_NO_FATAL_FAILURE(expect_same(padded, 2));
}

}  // namespace
}  // namespace nnvk::cpu
