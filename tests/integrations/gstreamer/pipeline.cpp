#include "tests/integrations/gstreamer/pipeline.h"

#include <fcntl.h>
#include <gst/allocators/allocators.h>
#include <gst/app/gstappsink.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace nnvk::test {
namespace {

// Returns the objects of GStreamer that live now, by the names of their types. Only types whose objects tests make.
std::map<std::string, int> living_objects() {
  std::map<std::string, int> living;
  GList* tracers = gst_tracing_get_active_tracers();
  for (GList* at = tracers; at != nullptr; at = at->next) {
    if (std::string(G_OBJECT_TYPE_NAME(at->data)) != "GstLeaksTracer") continue;
    GstStructure* objects = nullptr;
    g_signal_emit_by_name(at->data, "get-live-objects", &objects);
    if (objects == nullptr) continue;
    const GValue* list = gst_structure_get_value(objects, "live-objects-list");
    for (guint i = 0; list != nullptr && i < gst_value_list_get_size(list); ++i) {
      const GstStructure* one = gst_value_get_structure(gst_value_list_get_value(list, i));
      const GValue* object = gst_structure_get_value(one, "object");
      const std::string type = G_VALUE_TYPE_NAME(object);
      const bool counts = type.starts_with("Nnvk") || type == "GstBuffer" || type == "GstMemory" || type == "GstSample" ||
                          type == "GstEvent" || type == "GstPipeline" || type == "GstVideoBufferPool";
      if (counts) ++living[type];
    }
    gst_structure_free(objects);
  }
  g_list_free_full(tracers, gst_object_unref);
  return living;
}

class GStreamer : public ::testing::Environment {
 public:
  void SetUp() override {
    const std::string registry = std::string(NNVK_BUILD_DIR) + "/gstreamer_registry_" + std::to_string(getpid());
    registry_ = registry;
    setenv("GST_PLUGIN_PATH", NNVK_GSTREAMER_PLUGINS, 1);
    setenv("GST_REGISTRY", registry.c_str(), 1);
    setenv("GST_REGISTRY_FORK", "no", 1);
    setenv("G_DEBUG", "fatal-criticals", 1);
    setenv("GST_TRACERS", "leaks(name=objects)", 1);
    gst_init(nullptr, nullptr);
  }

  void TearDown() override {
    for (const auto& [type, count] : living_objects()) ADD_FAILURE() << count << " objects of the type " << type << " are left";
    std::filesystem::remove(registry_);
  }

 private:
  std::string registry_;
};

[[maybe_unused]] const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new GStreamer);

std::string text_of_error(GstMessage* message) {
  GError* error = nullptr;
  gchar* debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  const std::string text = std::string(error->message) + (debug != nullptr ? std::string(" [") + debug + "]" : "");
  g_error_free(error);
  g_free(debug);
  return text;
}

}  // namespace

Pipeline::Pipeline(const std::string& description) {
  GError* error = nullptr;
  pipeline_.reset(gst_parse_launch(description.c_str(), &error));
  EXPECT_EQ(error, nullptr) << description << ": " << error->message;
  g_clear_error(&error);
  for (const char* name : {"out", "plain"}) {  // the end comes when all frames have arrived, not when the test has taken them
    if (const ElementPointer sink = element(name)) g_object_set(sink.get(), "wait-on-eos", FALSE, nullptr);
  }
}

Pipeline::~Pipeline() {
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

ElementPointer Pipeline::element(const std::string& name) const {
  return ElementPointer(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name.c_str()));
}

bool Pipeline::start() { return gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE; }

std::string Pipeline::play(double seconds) {
  start();
  GstBus* bus = gst_element_get_bus(pipeline_.get());
  const auto types = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  const std::unique_ptr<GstMessage, Unref> message(
      gst_bus_timed_pop_filtered(bus, static_cast<GstClockTime>(seconds * GST_SECOND), types));
  gst_object_unref(bus);
  if (!message) return "it does not end";
  return GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR ? text_of_error(message.get()) : "";
}

SamplePointer Pipeline::next_frame() {
  constexpr GstClockTime kPatience = 20 * GST_SECOND;
  const ElementPointer sink = element("out");
  return SamplePointer(gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), kPatience));
}

std::vector<SamplePointer> Pipeline::all_frames() {
  std::vector<SamplePointer> frames;
  while (SamplePointer frame = next_frame()) frames.push_back(std::move(frame));
  return frames;
}

void Pipeline::send(BufferPointer buffer, const GstVideoInfo& info) {
  const ElementPointer source = element("in");
  const CapsPointer caps(gst_video_info_to_caps(&info));
  const SamplePointer sample(gst_sample_new(buffer.get(), caps.get(), nullptr, nullptr));
  EXPECT_EQ(gst_app_src_push_sample(GST_APP_SRC(source.get()), sample.get()), GST_FLOW_OK);
}

void Pipeline::end_of_stream() { gst_app_src_end_of_stream(GST_APP_SRC(element("in").get())); }

guint64 Pipeline::count(const std::string& name, const std::string& field) const {
  GstStructure* statistics = nullptr;
  g_object_get(element(name).get(), "statistics", &statistics, nullptr);
  const std::unique_ptr<GstStructure, Unref> owner(statistics);
  guint64 value = 0;
  EXPECT_TRUE(gst_structure_get_uint64(statistics, field.c_str(), &value)) << field;
  return value;
}

GstVideoInfo video_info(GstVideoFormat format, guint width, guint height) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, width, height);
  info.fps_n = 25;
  info.fps_d = 1;
  return info;
}

BufferPointer frame_of(const tools::Picture& picture, const GstVideoInfo& info) {
  const GstVideoInfo rgba = video_info(GST_VIDEO_FORMAT_RGBA, picture.width, picture.height);
  const BufferPointer from_buffer(gst_buffer_new_allocate(nullptr, rgba.size, nullptr));
  BufferPointer to_buffer(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  GstVideoFrame from;
  GstVideoFrame to;
  EXPECT_TRUE(gst_video_frame_map(&from, &rgba, from_buffer.get(), GST_MAP_WRITE));
  auto* bytes = static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&from, 0));
  for (size_t i = 0; i < size_t{picture.width} * picture.height; ++i) {
    for (size_t c = 0; c < 4; ++c) bytes[i * 4 + c] = c == 3 ? 255 : static_cast<uint8_t>(std::lround(picture.values[i * 3 + c]));
  }
  EXPECT_TRUE(gst_video_frame_map(&to, &info, to_buffer.get(), GST_MAP_WRITE));
  GstVideoConverter* converter = gst_video_converter_new(&rgba, &info, nullptr);
  gst_video_converter_frame(converter, &from, &to);
  gst_video_converter_free(converter);
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  return to_buffer;
}

BufferPointer in_memfd(GstBuffer& frame, bool seals) {
  GstMapInfo map;
  EXPECT_TRUE(gst_buffer_map(&frame, &map, GST_MAP_READ));
  const int fd = memfd_create("test frame", seals ? MFD_CLOEXEC | MFD_ALLOW_SEALING : MFD_CLOEXEC);
  EXPECT_EQ(write(fd, map.data, map.size), static_cast<ssize_t>(map.size));
  GstAllocator* allocator = gst_fd_allocator_new();
  BufferPointer buffer(gst_buffer_new());
  gst_buffer_append_memory(buffer.get(), gst_fd_allocator_alloc(allocator, fd, map.size, GST_FD_MEMORY_FLAG_NONE));
  gst_object_unref(allocator);
  gst_buffer_unmap(&frame, &map);
  return buffer;
}

BufferPointer in_dma_buf(GstBuffer& frame) {
  const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (device < 0) return nullptr;
  GstMapInfo map;
  EXPECT_TRUE(gst_buffer_map(&frame, &map, GST_MAP_READ));
  const gsize page = static_cast<gsize>(sysconf(_SC_PAGESIZE));
  const gsize size = (map.size + page - 1) / page * page;
  const int memfd = memfd_create("udmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(memfd, static_cast<off_t>(size)), 0);
  EXPECT_EQ(pwrite(memfd, map.data, map.size, 0), static_cast<ssize_t>(map.size));
  EXPECT_EQ(fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  udmabuf_create request{};
  request.memfd = static_cast<uint32_t>(memfd);
  request.flags = UDMABUF_FLAGS_CLOEXEC;
  request.size = size;
  const int fd = ioctl(device, UDMABUF_CREATE, &request);
  close(memfd);
  close(device);
  BufferPointer buffer;
  if (fd >= 0) {
    GstAllocator* allocator = gst_dmabuf_allocator_new();
    buffer.reset(gst_buffer_new());
    gst_buffer_append_memory(buffer.get(), gst_dmabuf_allocator_alloc(allocator, fd, size));
    gst_object_unref(allocator);
    gst_buffer_set_size(buffer.get(), static_cast<gssize>(map.size));
  }
  gst_buffer_unmap(&frame, &map);
  return buffer;
}

tools::Picture picture_of(GstSample& sample) {
  GstVideoInfo info;
  EXPECT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(&sample)));
  const auto width = static_cast<guint>(info.width);
  const auto height = static_cast<guint>(info.height);
  GstVideoInfo rgb = video_info(GST_VIDEO_FORMAT_RGB, width, height);
  rgb.fps_n = info.fps_n;  // a converter does not change them
  rgb.fps_d = info.fps_d;
  const BufferPointer to_buffer(gst_buffer_new_allocate(nullptr, rgb.size, nullptr));
  GstVideoFrame from;
  GstVideoFrame to;
  EXPECT_TRUE(gst_video_frame_map(&from, &info, gst_sample_get_buffer(&sample), GST_MAP_READ));
  EXPECT_TRUE(gst_video_frame_map(&to, &rgb, to_buffer.get(), GST_MAP_READWRITE));
  GstVideoConverter* converter = gst_video_converter_new(&info, &rgb, nullptr);
  gst_video_converter_frame(converter, &from, &to);
  gst_video_converter_free(converter);
  tools::Picture picture{.width = width, .height = height, .channels = 3, .values = {}};
  const auto* bytes = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&to, 0));
  const auto stride = static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&to, 0));
  for (size_t y = 0; y < height; ++y) {
    for (size_t i = 0; i < size_t{width} * 3; ++i) picture.values.push_back(bytes[y * stride + i]);
  }
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  return picture;
}

std::pair<int, int> size_of(GstSample& sample) {
  GstVideoInfo info;
  EXPECT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(&sample)));
  return {info.width, info.height};
}

tools::Picture halves(uint32_t width, uint32_t height) {
  tools::Picture picture{.width = width, .height = height, .channels = 3, .values = {}};
  for (uint32_t i = 0; i < width * height; ++i)
    picture.values.insert(picture.values.end(), 3, i % width < width / 2 ? 20.0F : 230.0F);
  return picture;
}

std::string own_model(const std::string& name) { return std::string(NNVK_SOURCE_DIR) + "/models/" + name; }

}  // namespace nnvk::test
