// Checks descriptions of buffers, and computes linear layouts: rows of whole pixels at multiples of 256 bytes, as GPUs require.
#include "nativewindow/description.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace nnvk::nativewindow {
namespace {

constexpr uint64_t kRowAlignment = 256;
constexpr uint64_t kLargest = uint64_t{1} << 46;

struct Format {
  uint32_t code;
  uint32_t bytes;          // of a pixel; of a luma sample
  uint32_t chroma_height;  // luma rows per chroma row; 0: not YUV
};

constexpr std::array<Format, 20> kFormats = {{
    {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4, 0},     {AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4, 0},
    {AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 3, 0},       {AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2, 0},
    {AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8, 0}, {AHARDWAREBUFFER_FORMAT_BLOB, 1, 0},
    {AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1, 2},       {AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4, 0},
    {AHARDWAREBUFFER_FORMAT_D16_UNORM, 2, 0},          {AHARDWAREBUFFER_FORMAT_D24_UNORM, 4, 0},
    {AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, 4, 0},  {AHARDWAREBUFFER_FORMAT_D32_FLOAT, 4, 0},
    {AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, 8, 0},  {AHARDWAREBUFFER_FORMAT_S8_UINT, 1, 0},
    {AHARDWAREBUFFER_FORMAT_YCbCr_P010, 2, 2},         {AHARDWAREBUFFER_FORMAT_R8_UNORM, 1, 0},
    {AHARDWAREBUFFER_FORMAT_R16_UINT, 2, 0},           {AHARDWAREBUFFER_FORMAT_R16G16_UINT, 4, 0},
    {AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, 8, 0}, {AHARDWAREBUFFER_FORMAT_YCbCr_P210, 2, 1},
}};

uint64_t round_up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

bool keeps_the_rules(const AHardwareBuffer_Desc& d, const Format& format) {
  constexpr uint64_t kMipOrCube = AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP;
  const auto has = [&d](uint64_t bits) { return (d.usage & bits) != 0; };
  if (d.width == 0 || d.height == 0 || d.layers == 0 || d.rfu0 != 0 || d.rfu1 != 0) return false;
  if (d.format == AHARDWAREBUFFER_FORMAT_BLOB) {
    if (d.height != 1 || d.layers != 1) return false;
    if (has(AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | kMipOrCube |
            AHARDWAREBUFFER_USAGE_VIDEO_ENCODE)) {
      return false;
    }
  } else if (has(AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA)) {
    return false;
  }
  if (format.chroma_height != 0 && (d.layers != 1 || has(kMipOrCube))) return false;
  if (has(AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT) && has(kCpuUsage)) return false;
  return !has(AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP) || (d.width == d.height && d.layers % 6 == 0);
}

// Adds planes for rows of chroma pairs behind the luma plane, Cb first: NV12 and similar formats.
uint64_t add_chroma(const AHardwareBuffer_Desc& d, const Format& format, uint64_t luma, Layout& layout) {
  const uint32_t pitch = layout.planes[0].row_stride;
  layout.plane_count = 3;
  layout.planes[1] = {luma, 2 * format.bytes, pitch};
  layout.planes[2] = {luma + format.bytes, 2 * format.bytes, pitch};
  return pitch * ((uint64_t{d.height} + format.chroma_height - 1) / format.chroma_height);
}

}  // namespace

int layout_of(const AHardwareBuffer_Desc& d, Layout& layout) {
  const auto* format = std::find_if(kFormats.begin(), kFormats.end(), [&d](const Format& f) { return f.code == d.format; });
  if (format == kFormats.end() || !keeps_the_rules(d, *format)) return -EINVAL;
  // Nothing protects this memory from processes that map it, and these layouts have no mip levels.
  if ((d.usage & (AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE)) != 0) return -ENOSYS;

  const bool blob = d.format == AHARDWAREBUFFER_FORMAT_BLOB;
  // A pitch is also a whole number of pixels, because consumers compute bytes from the stride in pixels.
  const uint64_t alignment = kRowAlignment * (format->bytes == 3 ? 3 : 1);
  const uint64_t pitch = blob ? d.width : round_up(uint64_t{d.width} * format->bytes, alignment);
  if (pitch > (blob ? std::numeric_limits<uint32_t>::max() : uint32_t{std::numeric_limits<int32_t>::max()})) return -ENOMEM;
  layout = {};
  layout.stride = static_cast<uint32_t>(pitch / format->bytes);
  layout.plane_count = 1;
  layout.planes[0] = {0, format->bytes, static_cast<uint32_t>(pitch)};
  uint64_t layer = pitch * d.height;  // below 2^63
  if (layer > kLargest) return -ENOMEM;
  if (format->chroma_height != 0) layer += add_chroma(d, *format, layer, layout);
  if (layer > kLargest / d.layers) return -ENOMEM;
  layout.size = round_up(layer * d.layers, kPage);
  return 0;
}

}  // namespace nnvk::nativewindow
