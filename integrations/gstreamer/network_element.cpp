#include "integrations/gstreamer/network_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "integrations/gstreamer/log.h"
#include "integrations/gstreamer/memfd_allocator.h"

namespace nnvk::gstreamer {
namespace {

constexpr guint kMostSlots = 16;
constexpr guint kRunsPerObservation = 16;

GstBaseTransformClass* parent_class = nullptr;

// Makes memfds the memory that an allocation query names first.
void offer_memfds(GstQuery* query) {
  GstAllocator* allocator = memfd_allocator();
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  if (gst_query_get_n_allocation_params(query) > 0) {
    gst_query_set_nth_allocation_param(query, 0, allocator, &params);
  } else {
    gst_query_add_allocation_param(query, allocator, &params);
  }
  gst_object_unref(allocator);
}

Status check_model(const std::string& path) {
  if (path.empty()) return tools::fail("no model is set; set the property \"model\" to a .tflite or .onnx file");
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) return {};
  return tools::fail(fmt::format("there is no file {}; set the property \"model\" to a .tflite or .onnx file", path));
}

}  // namespace

std::string text_of(const GValue* value) {
  const gchar* text = g_value_get_string(value);
  return text != nullptr ? text : "";
}

void NetworkElement::set_property(guint id, const GValue* value) {
  const ObjectLock lock(transform_);
  if (id == kModel) model_ = text_of(value);
  if (id == kDevice) device_ = text_of(value);
  if (id == kSlots) slots_ = g_value_get_uint(value);
}

void NetworkElement::get_property(guint id, GValue* value) {
  if (id == kStatistics) return g_value_take_boxed(value, statistics());
  const ObjectLock lock(transform_);
  if (id == kModel) g_value_set_string(value, model_.c_str());
  if (id == kDevice) g_value_set_string(value, device_.c_str());
  if (id == kSlots) g_value_set_uint(value, slots_);
}

GstStructure* NetworkElement::statistics() const {
  std::shared_ptr<Network> network;
  GstStructure* all = gst_structure_new_empty("nnvk-statistics");
  {
    const ObjectLock lock(transform_);
    network = described_;
    gst_structure_set(all, "frames", G_TYPE_UINT64, frames_done_, "dropped-frames", G_TYPE_UINT64, frames_dropped_,
                      "copied-frames", G_TYPE_UINT64, frames_copied_, "fenced-frames", G_TYPE_UINT64, frames_fenced_, "run-time",
                      G_TYPE_UINT64, run_time_, nullptr);
  }
  if (!network) return all;
  const auto description = network->describe();
  if (!description) return all;
  const auto document = nlohmann::json::parse(*description, nullptr, false);
  if (!document.is_object() || !document.contains("pictures")) return all;
  const auto& pictures = document["pictures"];
  for (const auto& [name, member] : {std::pair("pictures-prepared", "prepared"),
                                     {"prepared-while-starting", "prepared_while_starting"},
                                     {"bytes-copied-in", "bytes_copied_in"},
                                     {"dma-bufs-imported", "dma_bufs_imported"}}) {
    gst_structure_set(all, name, G_TYPE_UINT64, pictures.value(member, uint64_t{0}), nullptr);
  }
  if (document.contains("dependent_executions")) {
    const auto& dependent = document["dependent_executions"];
    const auto count = dependent.value("queued_behind", uint64_t{0}) + dependent.value("through_host", uint64_t{0});
    gst_structure_set(all, "dependent-runs", G_TYPE_UINT64, count, nullptr);
  }
  return all;
}

GstClockTime NetworkElement::latency() const {
  const ObjectLock lock(transform_);
  return run_time_ + (slots_ - 1) * frame_duration_;
}

void NetworkElement::add_latency(GstQuery* query) const {
  gboolean is_live = FALSE;
  GstClockTime least = 0;
  GstClockTime most = GST_CLOCK_TIME_NONE;
  gst_query_parse_latency(query, &is_live, &least, &most);
  const GstClockTime own = latency();
  if (GST_CLOCK_TIME_IS_VALID(most)) most += own;
  gst_query_set_latency(query, is_live, least + own, most);
}

bool NetworkElement::post_settings_error(const tools::Error& error) const {
  GST_ELEMENT_ERROR(element(), RESOURCE, SETTINGS, ("%s", error.message.c_str()), (nullptr));
  return false;
}

GstFlowReturn NetworkElement::post_frame_error(const tools::Error& error) const {
  GST_ELEMENT_ERROR(element(), STREAM, FAILED, ("%s", error.message.c_str()), (nullptr));
  return GST_FLOW_ERROR;
}

bool NetworkElement::start() {
  std::string model;
  std::string device;
  {
    const ObjectLock lock(transform_);
    model = model_;
    device = device_;
    frames_done_ = frames_dropped_ = frames_copied_ = frames_fenced_ = 0;
  }
  importer_ = {};
  observed_runs_ = 0;
  observed_seconds_ = 0;
  const Status opened = check_model(model).and_then([&] { return open(model, device); });
  if (!opened) return post_settings_error(opened.error());
  const ObjectLock lock(transform_);
  described_ = network_;
  return true;
}

void NetworkElement::stop() {
  drop_frames();
  if (network_) {  // counts of copies belong in the log too
    GstStructure* counts = statistics();
    GST_INFO_OBJECT(element(), "%" GST_PTR_FORMAT, static_cast<void*>(counts));
    gst_structure_free(counts);
  }
  network_.reset();
  const ObjectLock lock(transform_);
  described_.reset();
}

bool NetworkElement::set_caps(GstCaps* in, GstCaps* out) {
  drain();  // frames of the format before
  if (!gst_video_info_from_caps(&in_info_, in) || !gst_video_info_from_caps(&out_info_, out)) return false;
  if (const Status configured = configure(); !configured) return post_settings_error(configured.error());
  const ObjectLock lock(transform_);
  described_ = network_;
  const bool has_rate = in_info_.fps_n > 0;
  frame_duration_ = has_rate ? gst_util_uint64_scale_int(GST_SECOND, in_info_.fps_d, in_info_.fps_n) : 0;
  return true;
}

void NetworkElement::decide_allocation(GstQuery* query) {
  if (is_in_place()) return;
  // The network writes its results by descriptor. The base class gives the pool the query's allocator.
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstBufferPool* pool = make_frame_pool(caps, out_info_, 2);
  while (gst_query_get_n_allocation_pools(query) > 0) gst_query_remove_nth_allocation_pool(query, 0);
  gst_query_add_allocation_pool(query, pool, static_cast<guint>(out_info_.size), 2, 0);
  gst_object_unref(pool);
  offer_memfds(query);
}

void NetworkElement::propose_allocation(GstQuery* query) {
  GstCaps* caps = nullptr;
  gboolean needs_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &needs_pool);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return;
  guint slots = 0;
  {
    const ObjectLock lock(transform_);
    slots = slots_;
  }
  // Elements in place have asked the next element, which may have offered memory of its own. Frames are to lie in memfds here.
  while (gst_query_get_n_allocation_pools(query) > 0) gst_query_remove_nth_allocation_pool(query, 0);
  if (needs_pool) {
    GstBufferPool* pool = make_frame_pool(caps, info, slots + 1);
    gst_query_add_allocation_pool(query, pool, static_cast<guint>(info.size), slots + 1, 0);
    gst_object_unref(pool);
  }
  offer_memfds(query);
  if (!gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr)) {
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  }
}

Result<NetworkRun> NetworkElement::try_out() {
  TOOLS_ASSIGN(auto first, network_->run_on_zeros());  // compiles, so that it takes longer
  TOOLS_ASSIGN(auto second, network_->run_on_zeros());
  const ObjectLock lock(transform_);
  run_time_ = static_cast<GstClockTime>(second.run->seconds() * GST_SECOND);
  return second;
}

Result<std::shared_ptr<NetworkWork>> NetworkElement::begin(GstBuffer* buffer) {
  std::vector<std::shared_ptr<Run>> after;
  for (const auto& work : pending_work(buffer)) {
    if (auto writer = work->writer()) after.push_back(std::move(writer));
  }
  if (FrameImporter::needs_copy(buffer)) {
    for (const auto& run : after) TOOLS_TRY(run->wait());
    after.clear();
  }
  if (!after.empty()) {
    const ObjectLock lock(transform_);
    ++frames_fenced_;
  }
  TOOLS_ASSIGN(const SharedMemory picture, importer_.picture_of(buffer, in_info_));
  // Elements in place send this very buffer on when the run has ended. Others must keep its pixels.
  Owner owner;
  if (!is_in_place()) owner = {gst_buffer_ref(buffer), [](gconstpointer kept) { gst_buffer_unref(GST_BUFFER_CAST(kept)); }};
  TOOLS_ASSIGN(auto run, network_->start(picture, network_->conversion_for(colours_of(in_info_)), after, std::move(owner)));
  return work_on(std::move(run));
}

GstFlowReturn NetworkElement::submit(gboolean is_discontinuous, GstBuffer* buffer) {
  const GstFlowReturn flow = parent_class->submit_input_buffer(transform_, is_discontinuous, buffer);
  if (flow != GST_FLOW_OK) {
    const ObjectLock lock(transform_);
    if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) ++frames_dropped_;
    return flow;
  }
  Frame frame{.buffer = std::exchange(transform_->queued_buf, nullptr), .work = nullptr};
  auto work = begin(frame.buffer);
  if (!work) {
    gst_buffer_unref(frame.buffer);
    return post_frame_error(work.error());
  }
  frame.work = std::move(*work);
  frames_.push_back(std::move(frame));
  const ObjectLock lock(transform_);
  frames_copied_ = importer_.copied_frames();
  return GST_FLOW_OK;
}

GstFlowReturn NetworkElement::generate(GstBuffer** buffer) {
  *buffer = nullptr;
  guint slots = 1;
  {
    const ObjectLock lock(transform_);
    slots = slots_;
  }
  if (frames_.empty() || (!is_draining_ && frames_.size() < slots && !travels())) return GST_FLOW_OK;
  Frame frame = std::move(frames_.front());
  frames_.pop_front();
  frame.buffer = gst_buffer_make_writable(frame.buffer);
  finishing_ = std::move(frame.work);
  if (!is_in_place()) {  // answers of earlier networks belong on the new frame, so they must be there before it is made
    const auto pending = pending_work(frame.buffer);
    if (std::ranges::any_of(pending, [](const auto& work) { return !work->writer(); })) {
      if (const Status done = complete_pending(frame.buffer); !done) {
        gst_buffer_unref(frame.buffer);
        return post_frame_error(done.error());
      }
    }
  }
  transform_->queued_buf = frame.buffer;
  const GstFlowReturn flow = parent_class->generate_output(transform_, buffer);
  finishing_.reset();
  return flow;
}

Status NetworkElement::complete_or_pass(GstBuffer* buffer, const std::shared_ptr<PendingWork>& work) {
  if (travels()) {
    add_pending(buffer, work);
    return {};
  }
  TOOLS_TRY(complete_pending(buffer));
  return work->complete(buffer);
}

GstFlowReturn NetworkElement::finish_in_place(GstBuffer* buffer) {
  const Status done = complete_or_pass(buffer, finishing_);
  if (!done) return post_frame_error(done.error());
  observe(*finishing_->run().run);
  return GST_FLOW_OK;
}

GstFlowReturn NetworkElement::finish(GstBuffer* in, GstBuffer* out) {
  const Status done = write(*finishing_, in, out);
  if (!done) return post_frame_error(done.error());
  observe(*finishing_->run().run);
  return GST_FLOW_OK;
}

// Posts a new latency if the network has become slower than it was when the element started.
void NetworkElement::observe(const Run& run) {
  constexpr double kMuchSlower = 1.25;
  observed_seconds_ += run.seconds();  // 0 if the next element waits
  ++observed_runs_;
  bool is_slower = false;
  {
    const ObjectLock lock(transform_);
    ++frames_done_;
    if (observed_runs_ < kRunsPerObservation) return;
    const auto mean = static_cast<GstClockTime>(observed_seconds_ / observed_runs_ * GST_SECOND);
    is_slower = static_cast<double>(mean) > kMuchSlower * static_cast<double>(run_time_);
    if (is_slower) run_time_ = mean;
  }
  observed_seconds_ = 0;
  observed_runs_ = 0;
  if (is_slower) gst_element_post_message(element(), gst_message_new_latency(GST_OBJECT_CAST(transform_)));
}

void NetworkElement::drain() {
  is_draining_ = true;
  GstFlowReturn flow = GST_FLOW_OK;
  while (!frames_.empty() && flow == GST_FLOW_OK) {
    GstBuffer* buffer = nullptr;
    flow = generate(&buffer);
    if (buffer == nullptr) break;
    if (flow == GST_FLOW_OK) {
      flow = gst_pad_push(transform_->srcpad, buffer);
    } else {
      gst_buffer_unref(buffer);
    }
  }
  is_draining_ = false;
  drop_frames();  // nobody wants those that are left
}

void NetworkElement::drop_frames() {
  for (const Frame& frame : frames_) gst_buffer_unref(frame.buffer);
  frames_.clear();
}

void accept_properties(GObjectClass* klass) {
  klass->set_property = [](GObject* object, guint id, const GValue* value, GParamSpec*) {
    element_of(object).set_property(id, value);
  };
  klass->get_property = [](GObject* object, guint id, GValue* value, GParamSpec*) { element_of(object).get_property(id, value); };
}

void add_pad_templates(GstElementClass* klass, const char* sink_caps, const char* src_caps) {
  for (const auto& [name, direction, text] :
       {std::tuple("sink", GST_PAD_SINK, sink_caps), std::tuple("src", GST_PAD_SRC, src_caps)}) {
    GstCaps* caps = gst_caps_from_string(text);
    gst_element_class_add_pad_template(klass, gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
  }
}

namespace {

gboolean handle_sink_event(GstBaseTransform* transform, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    element_of(transform).drop_frames();
  } else if ((static_cast<guint>(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_SERIALIZED) != 0) {
    element_of(transform).drain();
  }
  return parent_class->sink_event(transform, event);
}

gboolean handle_query(GstBaseTransform* transform, GstPadDirection direction, GstQuery* query) {
  if (!parent_class->query(transform, direction, query)) return FALSE;
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) element_of(transform).add_latency(query);
  return TRUE;
}

gboolean handle_decide_allocation(GstBaseTransform* transform, GstQuery* query) {
  element_of(transform).decide_allocation(query);
  return parent_class->decide_allocation(transform, query);
}

gboolean handle_propose_allocation(GstBaseTransform* transform, GstQuery* decide_query, GstQuery* query) {
  parent_class->propose_allocation(transform, decide_query, query);  // false if nothing behind an element in place answers
  element_of(transform).propose_allocation(query);
  return TRUE;
}

void make_element(GTypeInstance* instance, gpointer klass) {
  auto* object = reinterpret_cast<NetworkElementObject*>(instance);
  object->element = static_cast<NetworkElementClass*>(klass)->make(&object->parent);
  gst_base_transform_set_qos_enabled(&object->parent, TRUE);
  mark_as_waiting(GST_ELEMENT_CAST(object));
}

void initialise_class(gpointer klass, gpointer /*data*/) {
  parent_class = static_cast<GstBaseTransformClass*>(g_type_class_peek_parent(klass));
  auto* object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = [](GObject* object) {
    delete &element_of(object);
    G_OBJECT_CLASS(parent_class)->finalize(object);
  };
  accept_properties(object_class);
  g_object_class_install_property(
      object_class, NetworkElement::kModel,
      g_param_spec_string("model", "Model", "The network: the path of a .tflite or .onnx file", "", kWhileStopped));
  g_object_class_install_property(
      object_class, NetworkElement::kDevice,
      g_param_spec_string(
          "device", "Device",
          "The device: a name that `nnvk devices` prints, several with commas, \"vulkan\", \"vulkan:N\" or \"cpu\"; "
          "empty: nnvk chooses",
          "", kWhileStopped));
  g_object_class_install_property(
      object_class, NetworkElement::kSlots,
      g_param_spec_uint("slots", "Slots",
                        "How many frames are in flight: with more than one, the network computes a frame while the next one is "
                        "prepared, which adds a frame's duration of latency for each further slot",
                        1, kMostSlots, 1, kWhileStopped));
  g_object_class_install_property(
      object_class, NetworkElement::kStatistics,
      g_param_spec_boxed("statistics", "Statistics",
                         "Counts since the start: frames, dropped-frames (for lateness), copied-frames (in memory without a "
                         "descriptor), fenced-frames (behind an element that still worked on them), run-time (nanoseconds), and "
                         "nnvk's own counts of pictures",
                         GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  auto* transform_class = static_cast<GstBaseTransformClass*>(klass);
  transform_class->start = [](GstBaseTransform* transform) -> gboolean { return element_of(transform).start(); };
  transform_class->stop = [](GstBaseTransform* transform) -> gboolean {
    element_of(transform).stop();
    return TRUE;
  };
  transform_class->set_caps = [](GstBaseTransform* transform, GstCaps* in, GstCaps* out) -> gboolean {
    return element_of(transform).set_caps(in, out);
  };
  transform_class->sink_event = handle_sink_event;
  transform_class->query = handle_query;
  transform_class->decide_allocation = handle_decide_allocation;
  transform_class->propose_allocation = handle_propose_allocation;
  transform_class->submit_input_buffer = [](GstBaseTransform* transform, gboolean is_discontinuous, GstBuffer* buffer) {
    return element_of(transform).submit(is_discontinuous, buffer);
  };
  transform_class->generate_output = [](GstBaseTransform* transform, GstBuffer** buffer) {
    return element_of(transform).generate(buffer);
  };
}

}  // namespace

GType network_element_type() {
  static const GType type = [] {
    GTypeInfo info{};
    info.class_size = sizeof(NetworkElementClass);
    info.class_init = initialise_class;
    info.instance_size = sizeof(NetworkElementObject);
    info.instance_init = make_element;
    return g_type_register_static(GST_TYPE_BASE_TRANSFORM, "NnvkNetworkElement", &info, G_TYPE_FLAG_ABSTRACT);
  }();
  return type;
}

}  // namespace nnvk::gstreamer
