#include "integrations/gstreamer/frames.h"

#include <fmt/format.h>
#include <gst/allocators/allocators.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "integrations/gstreamer/log.h"
#include "integrations/gstreamer/memfd_allocator.h"

namespace nnvk::gstreamer {
namespace {

using tools::check;
using tools::fail;

struct Format {
  GstVideoFormat gst;
  uint32_t fourcc;
};

constexpr std::array kFormats = {
    Format{GST_VIDEO_FORMAT_NV12, NNVK_FRAME_NV12},      Format{GST_VIDEO_FORMAT_NV21, NNVK_FRAME_NV21},
    Format{GST_VIDEO_FORMAT_I420, NNVK_FRAME_YUV420},    Format{GST_VIDEO_FORMAT_YV12, NNVK_FRAME_YVU420},
    Format{GST_VIDEO_FORMAT_P010_10LE, NNVK_FRAME_P010}, Format{GST_VIDEO_FORMAT_YUY2, NNVK_FRAME_YUYV},
    Format{GST_VIDEO_FORMAT_RGBA, NNVK_FRAME_ABGR8888},  Format{GST_VIDEO_FORMAT_RGBx, NNVK_FRAME_XBGR8888},
    Format{GST_VIDEO_FORMAT_BGRA, NNVK_FRAME_ARGB8888},  Format{GST_VIDEO_FORMAT_BGRx, NNVK_FRAME_XRGB8888},
    Format{GST_VIDEO_FORMAT_RGB, NNVK_FRAME_BGR888}};

// Which file a descriptor is. A descriptor's number may come back for another file, but not these while the file is open.
using FileId = std::pair<dev_t, ino_t>;

FileId file_of(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? FileId(status.st_dev, status.st_ino) : FileId();
}

// The memories behind a frame, and where its planes lie in them.
struct Location {
  nnvk_FrameLayout layout{};
  std::vector<int> fds;
  std::vector<FileId> files;

  bool is_same(const Location& other) const {
    const auto same_plane = [](const nnvk_FramePlane& a, const nnvk_FramePlane& b) {
      return a.fdIndex == b.fdIndex && a.offset == b.offset && a.rowPitch == b.rowPitch;
    };
    return files == other.files && layout.width == other.layout.width && layout.height == other.layout.height &&
           layout.fourcc == other.layout.fourcc && std::ranges::equal(layout.planes, other.layout.planes, same_plane);
  }
};

// A picture that stays with GStreamer's object for the memory.
struct KeptPicture {
  Location location;
  SharedMemory memory;
};

std::mutex& kept_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Returns a copy of the value that stays with a memory. Behind a tee, several threads look at the same memory.
template <class T>
std::optional<T> kept(GstMemory* memory, const char* name) {
  const std::lock_guard lock(kept_mutex());
  const auto* value = static_cast<T*>(gst_mini_object_get_qdata(GST_MINI_OBJECT(memory), g_quark_from_static_string(name)));
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

template <class T>
void keep(GstMemory* memory, const char* name, T value) {
  const std::lock_guard lock(kept_mutex());
  gst_mini_object_set_qdata(GST_MINI_OBJECT(memory), g_quark_from_static_string(name), new T(std::move(value)),
                            [](gpointer old) { delete static_cast<T*>(old); });
}

SharedMemory shared(ANeuralNetworksMemory* memory) { return {memory, ANeuralNetworksMemory_free}; }

Result<Location> location_of(GstBuffer* buffer, const GstVideoInfo& info) {
  Location location;
  nnvk_FrameLayout& layout = location.layout;
  layout.size = sizeof layout;
  layout.width = static_cast<uint32_t>(info.width);
  layout.height = static_cast<uint32_t>(info.height);
  const auto* format = std::ranges::find(kFormats, GST_VIDEO_INFO_FORMAT(&info), &Format::gst);
  if (format == kFormats.end()) {
    return fail(fmt::format("nnvk takes no frames of the format {}; put a videoconvert before the element",
                            gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info))));
  }
  layout.fourcc = format->fourcc;
  layout.flags = NNVK_FRAME_SEAL | NNVK_FRAME_TRUST_SIZE;
  layout.planeCount = GST_VIDEO_INFO_N_PLANES(&info);
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  for (guint plane = 0; plane < layout.planeCount; ++plane) {
    const gsize offset = meta != nullptr ? meta->offset[plane] : info.offset[plane];
    const gint stride = meta != nullptr ? meta->stride[plane] : info.stride[plane];
    guint index = 0;
    guint length = 0;
    gsize skip = 0;
    if (stride <= 0 || !gst_buffer_find_memory(buffer, offset, 1, &index, &length, &skip)) {
      return fail(fmt::format("plane {} of a frame does not lie in its memory, or its rows go backwards", plane));
    }
    layout.planes[plane] = {index, static_cast<uint32_t>(gst_buffer_peek_memory(buffer, index)->offset + skip),
                            static_cast<uint32_t>(stride)};
  }
  for (guint i = 0; i < gst_buffer_n_memory(buffer); ++i) {
    location.fds.push_back(gst_fd_memory_get_fd(gst_buffer_peek_memory(buffer, i)));
    location.files.push_back(file_of(location.fds.back()));
  }
  return location;
}

Result<SharedMemory> made_picture(const Location& location) {
  ANeuralNetworksMemory* memory = nullptr;
  TOOLS_TRY(
      check(nnvk_Memory_createFromFds(&location.layout, location.fds.data(), static_cast<uint32_t>(location.fds.size()), &memory),
            "importing a frame"));
  return shared(memory);
}

}  // namespace

video::Colours colours_of(const GstVideoInfo& info) {
  video::Colours colours;
  if (info.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT709) colours.matrix = NNVK_PICTURE_BT709;
  if (info.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT2020) colours.matrix = NNVK_PICTURE_BT2020;
  if (info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255) colours.range = NNVK_PICTURE_FULL_RANGE;
  return colours;
}

video::FrameView view_of(const GstVideoInfo& info) {
  video::FrameView view{.width = static_cast<uint32_t>(info.width),
                        .height = static_cast<uint32_t>(info.height),
                        .is_yuv = GST_VIDEO_INFO_IS_YUV(&info),
                        .colours = colours_of(info),
                        .count = GST_VIDEO_INFO_N_COMPONENTS(&info) - (GST_VIDEO_INFO_HAS_ALPHA(&info) ? 1 : 0)};
  for (guint c = 0; c < view.count; ++c) {
    view.all[c].width = static_cast<uint32_t>(GST_VIDEO_INFO_COMP_WIDTH(&info, c));
    view.all[c].height = static_cast<uint32_t>(GST_VIDEO_INFO_COMP_HEIGHT(&info, c));
  }
  return view;
}

video::FrameView view_of(const GstVideoFrame& frame) {
  video::FrameView view = view_of(frame.info);
  for (guint c = 0; c < view.count; ++c) {
    view.all[c].data = static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, c));
    view.all[c].stride = static_cast<size_t>(GST_VIDEO_FRAME_COMP_STRIDE(&frame, c));
    view.all[c].step = static_cast<size_t>(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c));
  }
  return view;
}

video::PaintedPlane painted_plane(const GstVideoInfo& info) {
  constexpr guint kColours = 3;
  constexpr float kOpaque = 255;
  const auto pixel_bytes = static_cast<size_t>(GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0));
  video::PaintedPlane plane{.components = std::vector(pixel_bytes, video::Mixture{.weights = {}, .offset = kOpaque}),
                            .row_bytes = static_cast<uint32_t>(GST_VIDEO_INFO_PLANE_STRIDE(&info, 0))};
  for (guint c = 0; c < kColours; ++c) {
    plane.components[static_cast<size_t>(GST_VIDEO_INFO_COMP_POFFSET(&info, c))] = video::red_green_or_blue(c);
  }
  return plane;
}

bool FrameImporter::needs_copy(GstBuffer* buffer) {
  constexpr guint kMostDescriptors = 4;
  const guint count = gst_buffer_n_memory(buffer);
  if (count == 0 || count > kMostDescriptors) return true;
  for (guint i = 0; i < count; ++i) {
    if (!gst_is_fd_memory(gst_buffer_peek_memory(buffer, i))) return true;
  }
  return false;
}

Result<SharedMemory> FrameImporter::picture_of(GstBuffer* buffer, const GstVideoInfo& info) {
  if (needs_copy(buffer)) return picture_of_copy(buffer, info);
  constexpr const char* kName = "nnvk-picture";
  TOOLS_ASSIGN(Location location, location_of(buffer, info));
  GstMemory* first = gst_buffer_peek_memory(buffer, 0);
  if (const auto known = kept<KeptPicture>(first, kName); known && known->location.is_same(location)) return known->memory;
  TOOLS_ASSIGN(SharedMemory memory, made_picture(location));
  keep(first, kName, KeptPicture{std::move(location), memory});
  return memory;
}

Result<SharedMemory> FrameImporter::picture_of_copy(GstBuffer* buffer, const GstVideoInfo& info) {
  if (copied_frames_++ == 0) {
    GST_WARNING("frames arrive in memory without a descriptor, so that nnvk copies them; see \"No copies\" in its guide");
  }
  GstVideoInfo plain;
  gst_video_info_set_format(&plain, GST_VIDEO_INFO_FORMAT(&info), static_cast<guint>(info.width),
                            static_cast<guint>(info.height));
  GstAllocator* allocator = memfd_allocator();
  GstBuffer* copy = gst_buffer_new_allocate(allocator, plain.size, nullptr);
  gst_object_unref(allocator);
  if (copy == nullptr) return fail("there is no memory left for a copy of a frame");
  const std::unique_ptr<GstBuffer, tools::Freer<gst_buffer_unref>> owner(copy);
  GstVideoFrame from;
  GstVideoFrame to;
  if (!gst_video_frame_map(&from, &info, buffer, GST_MAP_READ)) return fail("a frame cannot be mapped for reading");
  const bool is_mapped = gst_video_frame_map(&to, &plain, copy, GST_MAP_WRITE);
  if (is_mapped) {
    gst_video_frame_copy(&to, &from);
    gst_video_frame_unmap(&to);
  }
  gst_video_frame_unmap(&from);
  if (!is_mapped) return fail("a copy of a frame cannot be mapped");
  TOOLS_ASSIGN(const Location location, location_of(copy, plain));
  return made_picture(location);  // has its own descriptor of the copy
}

Result<WritableFrame> writable_frame(GstBuffer* buffer) {
  GstMemory* memory = gst_buffer_peek_memory(buffer, 0);
  if (gst_buffer_n_memory(buffer) != 1 || !gst_is_fd_memory(memory)) return fail("a frame for results has no descriptor");
  constexpr const char* kName = "nnvk-results";
  WritableFrame frame{.memory = nullptr, .offset = memory->offset, .size = memory->size};
  if (const auto known = kept<SharedMemory>(memory, kName)) {
    frame.memory = *known;
    return frame;
  }
  ANeuralNetworksMemory* made = nullptr;
  TOOLS_TRY(
      check(ANeuralNetworksMemory_createFromFd(memory->maxsize, PROT_READ | PROT_WRITE, gst_fd_memory_get_fd(memory), 0, &made),
            "importing a frame for results"));
  frame.memory = shared(made);
  keep(memory, kName, frame.memory);
  return frame;
}

}  // namespace nnvk::gstreamer
