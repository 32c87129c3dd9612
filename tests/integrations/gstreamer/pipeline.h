// Pipelines of GStreamer in tests.
#pragma once

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/image/picture.h"

namespace nnvk::test {

// Unreferences objects of GStreamer.
struct Unref {
  void operator()(GstElement* element) const { gst_object_unref(element); }
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
  void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
  void operator()(GstCaps* caps) const { gst_caps_unref(caps); }
  void operator()(GstMessage* message) const { gst_message_unref(message); }
  void operator()(GstStructure* structure) const { gst_structure_free(structure); }
};

using ElementPointer = std::unique_ptr<GstElement, Unref>;
using SamplePointer = std::unique_ptr<GstSample, Unref>;
using BufferPointer = std::unique_ptr<GstBuffer, Unref>;
using CapsPointer = std::unique_ptr<GstCaps, Unref>;

// A pipeline as gst-launch-1.0 takes it. An appsink of the name "out" keeps all of its frames, and an appsrc "in" takes frames.
class Pipeline {
 public:
  explicit Pipeline(const std::string& description);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  GstElement* whole() const { return pipeline_.get(); }
  ElementPointer element(const std::string& name) const;
  // Starts playing; returns whether that can go on.
  bool start();
  // Plays to the end. Returns the text of the first error; "" if there was none. An end after more than `seconds` is an error.
  std::string play(double seconds = 60);
  // Returns the next frame of "out"; null behind the last one.
  SamplePointer next_frame();
  std::vector<SamplePointer> all_frames();
  // Sends a frame in this format into "in".
  void send(BufferPointer buffer, const GstVideoInfo& info);
  void end_of_stream();
  // Returns a count of an element's property "statistics".
  guint64 count(const std::string& element, const std::string& name) const;

 private:
  ElementPointer pipeline_;
};

GstVideoInfo video_info(GstVideoFormat format, guint width, guint height);

// Returns a frame of a picture of three channels, in memory of GStreamer's usual allocator.
BufferPointer frame_of(const tools::Picture& picture, const GstVideoInfo& info);
// Copies a frame into one memfd, as a camera's driver would hand it out. `seals`: whether it can be sealed.
BufferPointer in_memfd(GstBuffer& frame, bool seals = true);
// Copies a frame into a dma-buf over a memfd; null if the kernel makes none.
BufferPointer in_dma_buf(GstBuffer& frame);
// Returns a sample's frame as a picture of three channels.
tools::Picture picture_of(GstSample& sample);
// Returns the size of a sample's frame in pixels.
std::pair<int, int> size_of(GstSample& sample);

// A picture whose left half is dark and whose right half is bright.
tools::Picture halves(uint32_t width, uint32_t height);

// Returns the path of a file of models/.
std::string own_model(const std::string& name);

}  // namespace nnvk::test
