#include "integrations/gstreamer/pending.h"

#include <string_view>
#include <utility>

#include "integrations/gstreamer/meta.h"

namespace nnvk::gstreamer {
namespace {

struct Pending {
  static constexpr const char* kApiName = "NnvkPendingMetaAPI";
  static constexpr const char* kName = "NnvkPendingMeta";
  // Elements that make other frames of these do not copy metas with this tag.
  static constexpr const char* kTags[] = {GST_META_TAG_MEMORY_STR, nullptr};
  static bool follows(GQuark type, gpointer data) {
    return GST_META_TRANSFORM_IS_COPY(type) && !static_cast<GstMetaTransformCopy*>(data)->region;
  }

  PendingList list;
};

using PendingMeta = ValueMeta<Pending>;

template <class T>
using ObjectPointer = std::unique_ptr<T, tools::Freer<gst_object_unref>>;

GQuark waiting_quark() {
  static const GQuark quark = g_quark_from_static_string("nnvk-waits-for-work");
  return quark;
}

// Returns whether an element hands frames on without a look at them.
bool passes_frames_on(GstElement* element) {
  const GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr) return false;
  const std::string_view name = GST_OBJECT_NAME(factory);
  return name == "queue" || name == "capsfilter" || name == "tee";
}

}  // namespace

void mark_as_waiting(GstElement* element) { g_object_set_qdata(G_OBJECT(element), waiting_quark(), GINT_TO_POINTER(TRUE)); }

bool next_waits(GstPad* source) {
  if (source->num_probes > 0) return false;
  const ObjectPointer<GstPad> sink(gst_pad_get_peer(source));
  if (!sink || sink->num_probes > 0) return false;
  // The pad of a bin stands for a pad of an element in it, or around it.
  if (GST_IS_PROXY_PAD(sink.get())) {
    const ObjectPointer<GstProxyPad> inside(gst_proxy_pad_get_internal(GST_PROXY_PAD(sink.get())));
    return inside && next_waits(GST_PAD(inside.get()));
  }
  const ObjectPointer<GstElement> element(gst_pad_get_parent_element(sink.get()));
  if (!element) return false;
  if (g_object_get_qdata(G_OBJECT(element.get()), waiting_quark()) != nullptr) return true;
  if (!passes_frames_on(element.get())) return false;
  bool is_any = false;
  bool all_wait = true;
  GstIterator* pads = gst_element_iterate_src_pads(element.get());
  GValue value = G_VALUE_INIT;
  while (gst_iterator_next(pads, &value) == GST_ITERATOR_OK) {
    is_any = true;
    all_wait = all_wait && next_waits(GST_PAD(g_value_get_object(&value)));
    g_value_reset(&value);
  }
  if (G_IS_VALUE(&value)) g_value_unset(&value);
  gst_iterator_free(pads);
  return is_any && all_wait;
}

PendingList pending_work(GstBuffer* buffer) {
  const PendingMeta* meta = PendingMeta::find(buffer);
  return meta != nullptr ? meta->value.list : PendingList();
}

void add_pending(GstBuffer* buffer, std::shared_ptr<PendingWork> work) {
  PendingMeta::find_or_add(buffer)->value.list.push_back(std::move(work));
}

Status complete_pending(GstBuffer* buffer) {
  PendingMeta* meta = PendingMeta::find(buffer);
  if (meta == nullptr) return {};
  const PendingList list = std::move(meta->value.list);
  meta->remove_from(buffer);
  for (const auto& work : list) TOOLS_TRY(work->complete(buffer));
  return {};
}

}  // namespace nnvk::gstreamer
