// The elements with a network: properties, frames in flight, latency, dropped frames, and fences between such elements.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <deque>
#include <memory>
#include <string>

#include "integrations/gstreamer/frames.h"
#include "integrations/gstreamer/pending.h"

namespace nnvk::gstreamer {

// The object's lock, as long as this lives.
class ObjectLock {
 public:
  explicit ObjectLock(gpointer object) : object_(object) { GST_OBJECT_LOCK(object_); }
  ~ObjectLock() { GST_OBJECT_UNLOCK(object_); }
  ObjectLock(const ObjectLock&) = delete;
  ObjectLock& operator=(const ObjectLock&) = delete;

 private:
  gpointer object_;
};

// Returns the text of a property; none is "".
std::string text_of(const GValue* value);

// The work of a network on one frame.
class NetworkWork : public PendingWork {
 public:
  explicit NetworkWork(NetworkRun run) : run_(std::move(run)) {}
  const NetworkRun& run() const { return run_; }

 private:
  NetworkRun run_;
};

// One element. GStreamer's object owns it, and calls it from its streaming thread unless said otherwise.
class NetworkElement {
 public:
  // The numbers of properties; elements number their own ones from kFirstOwn on.
  enum Property : guint { kNone, kModel, kDevice, kSlots, kStatistics, kFirstOwn };

  explicit NetworkElement(GstBaseTransform* transform) : transform_(transform) {}
  virtual ~NetworkElement() { drop_frames(); }
  NetworkElement(const NetworkElement&) = delete;
  NetworkElement& operator=(const NetworkElement&) = delete;

  // Any thread may call these.
  virtual void set_property(guint id, const GValue* value);
  virtual void get_property(guint id, GValue* value);
  void add_latency(GstQuery* query) const;

  bool start();
  void stop();
  bool set_caps(GstCaps* in, GstCaps* out);
  void decide_allocation(GstQuery* query);
  void propose_allocation(GstQuery* query);
  GstFlowReturn submit(gboolean is_discontinuous, GstBuffer* buffer);
  GstFlowReturn generate(GstBuffer** buffer);
  // Ends the work on the frame that generate() is about to return.
  GstFlowReturn finish_in_place(GstBuffer* buffer);
  GstFlowReturn finish(GstBuffer* in, GstBuffer* out);
  // Pushes all frames that are in flight.
  void drain();
  void drop_frames();

 protected:
  // Loads the network when the element starts.
  virtual Status open(const std::string& model, const std::string& device) = 0;
  // Called for each new format, when no frame is in flight.
  virtual Status configure() { return {}; }
  // Returns the work whose run has been started on a frame.
  virtual std::shared_ptr<NetworkWork> work_on(NetworkRun run) = 0;
  // Whether the next element of this plugin may get frames before their work is done.
  virtual bool may_travel() const { return true; }
  // Writes the result into another frame, for elements that do not work in place.
  virtual Status write(NetworkWork& /*work*/, GstBuffer* /*in*/, GstBuffer* /*out*/) { return {}; }
  virtual bool is_in_place() const { return true; }

  // Whether the frame may go on before the work is done.
  bool travels() const { return may_travel() && next_waits(transform_->srcpad); }
  // Gives the work to the next element if that waits, or else completes it.
  Status complete_or_pass(GstBuffer* buffer, const std::shared_ptr<PendingWork>& work);

  // Posts an error on the bus, which stops the pipeline. It returns false.
  bool post_settings_error(const tools::Error& error) const;
  GstFlowReturn post_frame_error(const tools::Error& error) const;
  // Runs the network once, and takes its time as the first latency. Returns the results.
  Result<NetworkRun> try_out();

  GstElement* element() const { return GST_ELEMENT_CAST(transform_); }
  GstBaseTransform* transform() const { return transform_; }
  const GstVideoInfo& in_info() const { return in_info_; }
  const GstVideoInfo& out_info() const { return out_info_; }

  std::shared_ptr<Network> network_;  // set by open() or configure()

 private:
  struct Frame {
    GstBuffer* buffer = nullptr;
    std::shared_ptr<NetworkWork> work;
  };

  Result<std::shared_ptr<NetworkWork>> begin(GstBuffer* buffer);
  void observe(const Run& run);
  GstClockTime latency() const;
  GstStructure* statistics() const;

  GstBaseTransform* transform_;
  // Guarded by the object's lock.
  std::string model_;
  std::string device_;
  guint slots_ = 1;
  guint64 frames_done_ = 0;
  guint64 frames_dropped_ = 0;
  guint64 frames_copied_ = 0;
  guint64 frames_fenced_ = 0;
  GstClockTime run_time_ = 0;
  GstClockTime frame_duration_ = 0;
  std::shared_ptr<Network> described_;  // network_, for other threads

  // Used by the streaming thread alone.
  GstVideoInfo in_info_{};
  GstVideoInfo out_info_{};
  FrameImporter importer_;
  std::deque<Frame> frames_;
  std::shared_ptr<NetworkWork> finishing_;
  bool is_draining_ = false;
  double observed_seconds_ = 0;
  guint observed_runs_ = 0;
};

// GStreamer's objects of these elements.
struct NetworkElementObject {
  GstBaseTransform parent;
  NetworkElement* element;
};

struct NetworkElementClass {
  GstBaseTransformClass parent;
  NetworkElement* (*make)(GstBaseTransform*);
};

GType network_element_type();
// Sends the properties of a class to its elements. GObject inherits this from no parent.
void accept_properties(GObjectClass* klass);

inline NetworkElement& element_of(gpointer object) { return *static_cast<NetworkElementObject*>(object)->element; }

// Registers a type of elements: `Element` has a constructor like NetworkElement's and describe(GstBaseTransformClass*), which
// adds pads, texts and its own properties.
template <class Element>
gboolean register_network_element(GstPlugin* plugin, const char* name, const char* type_name) {
  GTypeInfo info{};
  info.class_size = sizeof(NetworkElementClass);
  info.instance_size = sizeof(NetworkElementObject);
  info.class_init = [](gpointer klass, gpointer) {
    static_cast<NetworkElementClass*>(klass)->make = [](GstBaseTransform* transform) -> NetworkElement* {
      return new Element(transform);
    };
    accept_properties(G_OBJECT_CLASS(klass));
    Element::describe(static_cast<GstBaseTransformClass*>(klass));
  };
  const GType type = g_type_register_static(network_element_type(), type_name, &info, static_cast<GTypeFlags>(0));
  return gst_element_register(plugin, name, GST_RANK_NONE, type);
}

// Adds the pads "sink" and "src" for these caps.
void add_pad_templates(GstElementClass* klass, const char* sink_caps, const char* src_caps);

// How properties of elements are changed: while the element is stopped, or at any time.
inline constexpr auto kWhileStopped =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
inline constexpr auto kAnyTime = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);

}  // namespace nnvk::gstreamer
