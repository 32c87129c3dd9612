// Metas that hold a C++ value.
#pragma once

#include <gst/gst.h>

#include <new>
#include <utility>

namespace nnvk::gstreamer {

// A meta with a value of type T, which is copied with its buffer. T names the meta by `kApiName`, `kName` and `kTags`, and says
// by `follows()` whether the value stays true when an element changes the frame in this way.
template <class T>
struct ValueMeta {
  GstMeta meta;
  T value;

  static GType api() {
    static const GType type = gst_meta_api_type_register(T::kApiName, const_cast<const gchar**>(T::kTags));
    return type;
  }

  static const GstMetaInfo* info() {
    static const GstMetaInfo* const info = gst_meta_register(api(), T::kName, sizeof(ValueMeta), begin, end, transform);
    return info;
  }

  static ValueMeta* find(GstBuffer* buffer) { return reinterpret_cast<ValueMeta*>(gst_buffer_get_meta(buffer, api())); }
  // Returns the meta of a writable buffer; adds one with an empty value if it has none.
  static ValueMeta* find_or_add(GstBuffer* buffer) {
    ValueMeta* found = find(buffer);
    return found != nullptr ? found : reinterpret_cast<ValueMeta*>(gst_buffer_add_meta(buffer, info(), nullptr));
  }
  void remove_from(GstBuffer* buffer) { gst_buffer_remove_meta(buffer, &meta); }

 private:
  static gboolean begin(GstMeta* meta, gpointer /*parameters*/, GstBuffer* /*buffer*/) {
    new (&reinterpret_cast<ValueMeta*>(meta)->value) T;
    return TRUE;
  }
  static void end(GstMeta* meta, GstBuffer* /*buffer*/) { reinterpret_cast<ValueMeta*>(meta)->value.~T(); }
  static gboolean transform(GstBuffer* to, GstMeta* meta, GstBuffer* /*from*/, GQuark type, gpointer data) {
    if (T::follows(type, data)) find_or_add(to)->value = reinterpret_cast<ValueMeta*>(meta)->value;
    return TRUE;
  }
};

}  // namespace nnvk::gstreamer
