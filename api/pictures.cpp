// Entry point: how pictures become inputs.
#pragma GCC visibility push(default)
#include <nnvk/picture.h>
#pragma GCC visibility pop

#include <algorithm>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"

using nnvk::Code;
using nnvk::fail;
using nnvk::Status;

namespace {

template <class A, class B>
constexpr bool same(A a, B b) {
  return static_cast<int32_t>(a) == static_cast<int32_t>(b);
}
static_assert(same(nnvk::PictureFilter::kNearest, NNVK_PICTURE_NEAREST));
static_assert(same(nnvk::ChannelOrder::kBgr, NNVK_PICTURE_BGR));
static_assert(same(nnvk::ColourMatrix::kBt709, NNVK_PICTURE_BT709) && same(nnvk::ColourMatrix::kBt2020, NNVK_PICTURE_BT2020));
static_assert(same(nnvk::ColourRange::kFull, NNVK_PICTURE_FULL_RANGE));

nnvk::Result<nnvk::PictureConversion> to_core(const nnvk_PictureConversion& c) {
  if (c.size != sizeof(nnvk_PictureConversion)) {
    return fail(Code::kBadData, "the conversion's size is " + std::to_string(c.size) + ", this library knows " +
                                    std::to_string(sizeof(nnvk_PictureConversion)) +
                                    "; initialise it with NNVK_PICTURE_CONVERSION_DEFAULT");
  }
  if (c.tensorLayout != NNVK_PICTURE_NHWC && c.tensorLayout != NNVK_PICTURE_NCHW) {
    return fail(Code::kBadData, "the tensor layout is " + std::to_string(c.tensorLayout) + "; it is one of 0 to 1");
  }
  nnvk::PictureConversion conversion;
  conversion.crop = {c.cropLeft, c.cropTop, c.cropWidth, c.cropHeight};
  conversion.filter = static_cast<nnvk::PictureFilter>(c.filter);
  conversion.order = static_cast<nnvk::ChannelOrder>(c.channelOrder);
  conversion.matrix = static_cast<nnvk::ColourMatrix>(c.colourMatrix);
  conversion.range = static_cast<nnvk::ColourRange>(c.colourRange);
  conversion.nchw = c.tensorLayout == NNVK_PICTURE_NCHW;
  std::copy(std::begin(c.mean), std::end(c.mean), conversion.mean.begin());
  std::copy(std::begin(c.deviation), std::end(c.deviation), conversion.deviation.begin());
  return conversion;
}

}  // namespace

int nnvk_Execution_setInputPicture(ANeuralNetworksExecution* execution, int32_t index, const nnvk_PictureConversion* conversion) {
  return nnvk::api::call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(conversion)}, [&]() -> Status {
    NNVK_ASSIGN(const nnvk::PictureConversion wanted, to_core(*conversion));
    return execution->execution->set_input_picture(nnvk::api::to_index(index), wanted);
  });
}
