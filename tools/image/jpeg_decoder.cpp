// JPEG, through libjpeg-turbo.
#include <fmt/format.h>
#include <turbojpeg.h>

#include <memory>

#include "tools/image/decoders.h"

namespace nnvk::tools {

bool is_jpeg(std::span<const uint8_t> file) { return file.size() >= 3 && file[0] == 0xFF && file[1] == 0xD8 && file[2] == 0xFF; }

Result<Pixels> decode_jpeg(std::span<const uint8_t> file) {
  const std::unique_ptr<void, decltype(&tjDestroy)> decoder(tjInitDecompress(), &tjDestroy);
  if (!decoder) return fail(fmt::format("cannot make a JPEG decoder: {}", tjGetErrorStr2(nullptr)));
  const auto problem = [&] { return fail(fmt::format("the JPEG picture is damaged: {}", tjGetErrorStr2(decoder.get()))); };
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(decoder.get(), file.data(), file.size(), &width, &height, &subsampling, &colours) != 0) {
    return problem();
  }
  if (colours == TJCS_CMYK || colours == TJCS_YCCK) {
    return fail("the JPEG picture has the colours of printing (CMYK), which are not read; convert it to RGB");
  }
  TOOLS_TRY(check_picture_size(static_cast<uint64_t>(width), static_cast<uint64_t>(height)));
  Pixels pixels{static_cast<uint32_t>(width), static_cast<uint32_t>(height), {}};
  pixels.rgba.resize(size_t{4} * pixels.width * pixels.height);
  // Damage becomes an error, not a grey area. The limit of scans keeps small malicious files from taking long.
  constexpr int kFlags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT;
  if (tjDecompress2(decoder.get(), file.data(), file.size(), pixels.rgba.data(), width, 0, height, TJPF_RGBA, kFlags) != 0) {
    return problem();
  }
  return pixels;
}

}  // namespace nnvk::tools
