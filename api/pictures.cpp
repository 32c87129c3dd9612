// Entry point: the conversion of pictures to inputs.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"

using namespace nnvk;
using namespace nnvk::api;

namespace {

template <class A, class B>
constexpr bool same(A a, B b) {
  return static_cast<int32_t>(a) == static_cast<int32_t>(b);
}
static_assert(same(PictureFilter::kNearest, NNVK_PICTURE_NEAREST) && same(PictureFilter::kArea, NNVK_PICTURE_AREA));
static_assert(same(ChannelOrder::kBgr, NNVK_PICTURE_BGR));
static_assert(same(ColourMatrix::kBt709, NNVK_PICTURE_BT709) && same(ColourMatrix::kBt2020, NNVK_PICTURE_BT2020));
static_assert(same(ColourRange::kFull, NNVK_PICTURE_FULL_RANGE));

// Returns the conversion with the members that the client's version of the struct lacks.
Result<nnvk_PictureConversion> newest(const nnvk_PictureConversion& conversion) {
  constexpr size_t kFirstSize = offsetof(nnvk_PictureConversion, rotation);
  if (conversion.size != sizeof conversion && conversion.size != kFirstSize) {
    return fail(Code::kBadData, "the conversion's size is " + std::to_string(conversion.size) + ", this library knows " +
                                    std::to_string(kFirstSize) + " and " + std::to_string(sizeof conversion) +
                                    "; initialise it with NNVK_PICTURE_CONVERSION_DEFAULT");
  }
  nnvk_PictureConversion result = NNVK_PICTURE_CONVERSION_DEFAULT;
  std::memcpy(&result, &conversion, conversion.size);
  return result;
}

Result<PictureConversion> to_core(const nnvk_PictureConversion& given) {
  NNVK_ASSIGN(const nnvk_PictureConversion c, newest(given));
  NNVK_TRY(check_choice(c.tensorLayout, NNVK_PICTURE_NCHW, "the tensor layout"));
  NNVK_TRY(check_choice(c.mirrored, 1, "mirrored"));
  PictureConversion conversion;
  conversion.crop = {c.cropLeft, c.cropTop, c.cropWidth, c.cropHeight};
  conversion.filter = static_cast<PictureFilter>(c.filter);
  conversion.order = static_cast<ChannelOrder>(c.channelOrder);
  conversion.matrix = static_cast<ColourMatrix>(c.colourMatrix);
  conversion.range = static_cast<ColourRange>(c.colourRange);
  conversion.nchw = c.tensorLayout == NNVK_PICTURE_NCHW;
  conversion.rotation = c.rotation;
  conversion.mirrored = c.mirrored == 1;
  std::copy(std::begin(c.mean), std::end(c.mean), conversion.mean.begin());
  std::copy(std::begin(c.deviation), std::end(c.deviation), conversion.deviation.begin());
  return conversion;
}

}  // namespace

int nnvk_Execution_setInputPictureCrops(ANeuralNetworksExecution* execution, int32_t index,
                                        const nnvk_PictureConversion* conversion, const nnvk_PictureCrop* crops,
                                        uint32_t cropCount) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(conversion), NNVK_ARGUMENT(crops)}, [&]() -> Status {
    NNVK_ASSIGN(PictureConversion wanted, to_core(*conversion));
    if (cropCount == 0)
      return fail(Code::kBadData, "there are no crops; nnvk_Execution_setInputPicture() takes the whole picture");
    for (const nnvk_PictureCrop& crop : std::span(crops, cropCount)) {
      wanted.crops.push_back({crop.left, crop.top, crop.width, crop.height});
    }
    return execution->execution->set_input_picture(to_index(index), wanted);
  });
}

int nnvk_Execution_setInputPicture(ANeuralNetworksExecution* execution, int32_t index, const nnvk_PictureConversion* conversion) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(conversion)}, [&]() -> Status {
    NNVK_ASSIGN(const PictureConversion wanted, to_core(*conversion));
    return execution->execution->set_input_picture(to_index(index), wanted);
  });
}
