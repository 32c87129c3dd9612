// The rewrite that removes filter taps which read only padding: what it changes, and what it must keep.
#include <gtest/gtest.h>

#include <numeric>

#include "core/operations/parameters/window_axis.h"
#include "core/plan/rewrites.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;
constexpr auto kFloats = OperandType::kTensorFloat32;

// A convolution of {1, height, width, 1} with a filter of 3x3, whose taps are numbered from 0.
struct Geometry {
  uint32_t height = 16;
  uint32_t width = 16;
  std::vector<int32_t> padding{};  // left, right, top, bottom; empty: SAME
  int32_t stride = 1;
  int32_t dilation_width = 1;
  int32_t dilation_height = 1;
};

PlanPointer convolution(const Geometry& g, const Shape& out, bool is_constant = true) {
  PlanFixture f;
  std::vector<float> taps(9);
  std::iota(taps.begin(), taps.end(), 0.0F);
  const TensorId image = f.input({1, g.height, g.width, 1});
  const TensorId filter = is_constant ? f.constant<float>({1, 3, 3, 1}, kFloats, taps) : f.input({1, 3, 3, 1});
  std::vector<TensorId> inputs = {image, filter, f.constant<float>({1}, kFloats, {0.5F})};
  if (g.padding.empty()) inputs.push_back(f.scalar(1));
  for (const int32_t amount : g.padding) inputs.push_back(f.scalar(amount));
  for (const int32_t value : {g.stride, g.stride, 0}) inputs.push_back(f.scalar(value));
  inputs.push_back(f.flag(false));
  inputs.push_back(f.scalar(g.dilation_width));
  inputs.push_back(f.scalar(g.dilation_height));
  f.node(OperationCode::kConv2d, inputs, {f.output(out)});
  return f.plan();
}

struct Trimmed {
  Shape shape;
  std::vector<float> taps;
  WindowParameters window;
};
Trimmed trimmed(const PlanPointer& plan) {
  const PlanPointer after = trim_filters(plan);
  const PlanTensor& filter = after->tensors[after->nodes[0].inputs[convolution::kFilter]];
  std::vector<float> taps(filter.value.size() / sizeof(float));
  std::memcpy(taps.data(), filter.value.data(), filter.value.size());
  const NodeView view = declared_view(*after, after->nodes[0]);
  return {filter.info.shape, std::move(taps), window_parameters(view.view()).value()};
}

TEST(TrimFilters, AFilterInAnotherOrderIsPutInOrderBeforeItIsCut) {
  const PlanPointer in_order = convolution({.height = 4, .dilation_height = 5}, {1, 4, 16, 1});
  Plan other = *in_order;
  PlanTensor& filter = other.tensors[other.nodes[0].inputs[convolution::kFilter]];
  const std::vector<float> columns_first{0, 3, 6, 1, 4, 7, 2, 5, 8};
  filter.transposed = std::make_shared<TransposedBytes>(std::as_bytes(std::span(columns_first)), sizeof(float),
                                                        filter.info.shape.dims, std::vector<uint32_t>{0, 2, 1, 3});
  filter.value = {};
  const Trimmed t = trimmed(std::make_shared<const Plan>(std::move(other)));
  EXPECT_EQ(t.shape, (Shape{1, 1, 3, 1}));
  EXPECT_EQ(t.taps, (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(t.taps, trimmed(in_order).taps);
}

TEST(TrimFilters, WideDilationsOverASmallImageLeaveTheMiddleOfTheFilter) {
  const Trimmed t = trimmed(convolution({.dilation_width = 24, .dilation_height = 24}, {1, 16, 16, 1}));
  EXPECT_EQ(t.shape, (Shape{1, 1, 1, 1}));
  EXPECT_EQ(t.taps, std::vector<float>{4});
  EXPECT_EQ(t.window.pad_left + t.window.pad_right + t.window.pad_top + t.window.pad_bottom, 0);
  EXPECT_EQ(t.window.out_height, 16U);
  EXPECT_EQ(t.window.out_width, 16U);
}

TEST(TrimFilters, EachAxisIsTrimmedAlone) {
  const Trimmed rows = trimmed(convolution({.height = 4, .dilation_height = 8}, {1, 4, 16, 1}));
  EXPECT_EQ(rows.taps, (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(rows.window.pad_left, 1);
  EXPECT_EQ(rows.window.pad_top, 0);
  const Trimmed columns = trimmed(convolution({.width = 4, .dilation_width = 8}, {1, 16, 4, 1}));
  EXPECT_EQ(columns.taps, (std::vector<float>{1, 4, 7}));
  EXPECT_EQ(columns.window.pad_left, 0);
  EXPECT_EQ(columns.window.pad_top, 1);
}

TEST(TrimFilters, TapsOnOneSideAloneMayRemain) {
  const Trimmed t = trimmed(
      convolution({.height = 4, .width = 4, .padding = {8, 0, 8, 0}, .dilation_width = 4, .dilation_height = 4}, {1, 4, 4, 1}));
  EXPECT_EQ(t.taps, std::vector<float>{8});  // the first two rows and columns lie above and left of the image
  EXPECT_EQ(t.window.pad_left + t.window.pad_top, 0);
}

TEST(TrimFilters, PlansWithoutSuchTapsStay) {
  const auto stays = [](const PlanPointer& plan) { return trim_filters(plan) == plan; };
  EXPECT_TRUE(stays(convolution({}, {1, 16, 16, 1})));
  EXPECT_TRUE(stays(convolution({.dilation_width = 15, .dilation_height = 15}, {1, 16, 16, 1})));
  EXPECT_TRUE(stays(convolution({.dilation_width = 24, .dilation_height = 24}, {1, 16, 16, 1}, false)))
      << "the weights are an input";
  EXPECT_TRUE(stays(convolution({.height = kUnknownDimension, .dilation_height = 24}, {1, kUnknownDimension, 16, 1})));
}

// Work estimates judge declared shapes, which a model may make as large as it likes.
TEST(TrimFilters, FiltersOfHugeDeclaredSizeAreNotJudgedTapByTap) {
  const int64_t taps = INT32_MAX;
  EXPECT_EQ(live_taps({1, 1, taps, taps / 2, taps / 2, 1, 1}), (IndexRange{0, static_cast<size_t>(taps)}));
}

// Tries every small geometry, and compares with a convolution along one axis in plain words.
TEST(TrimFilters, LiveTapsAreThoseThatReadTheImage) {
  for (int32_t in = 1; in <= 6; ++in) {
    for (int32_t taps = 1; taps <= 4; ++taps) {
      for (int32_t dilation = 1; dilation <= 4; ++dilation) {
        const int32_t extent = (taps - 1) * dilation + 1;
        for (int32_t stride = 1; stride <= 4; ++stride) {
          for (int32_t head = 0; head < extent; ++head) {
            for (int32_t tail = 0; tail < extent; ++tail) {
              if (in + head + tail < extent) continue;
              const int32_t out = (in + head + tail - extent) / stride + 1;
              int32_t first = taps;
              int32_t last = -1;
              for (int32_t tap = 0; tap < taps; ++tap) {
                for (int32_t o = 0; o < out; ++o) {
                  const int32_t position = o * stride + tap * dilation - head;
                  if (position < 0 || position >= in) continue;
                  first = std::min(first, tap);
                  last = tap;
                }
              }
              WindowParameters w;
              w.in_height = w.in_width = static_cast<uint32_t>(in);
              w.out_height = w.out_width = static_cast<uint32_t>(out);
              w.filter_height = w.filter_width = static_cast<uint32_t>(taps);
              w.pad_top = w.pad_left = head;
              w.stride_height = w.stride_width = stride;
              w.dilation_height = w.dilation_width = dilation;
              const IndexRange live = live_taps(vertical_axis(w));
              EXPECT_EQ(live, live_taps(horizontal_axis(w)));
              ASSERT_EQ(live.count(), static_cast<size_t>(last < 0 ? 0 : last - first + 1));
              if (last >= 0) {
                ASSERT_EQ(live.first, static_cast<size_t>(first));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace nnvk
