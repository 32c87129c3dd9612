#include "integrations/gstreamer/pending.h"

#include <utility>

#include "integrations/gstreamer/meta.h"

namespace nnvk::gstreamer {
namespace {

struct Pending {
  static constexpr const char* kApiName = "NnvkPendingMetaAPI";
  static constexpr const char* kName = "NnvkPendingMeta";
  // Elements that touch the memory of frames take this tag's metas out of allocation queries: they would not wait.
  static constexpr const char* kTags[] = {GST_META_TAG_MEMORY_STR, nullptr};
  static bool follows(GQuark type, gpointer data) {
    return GST_META_TRANSFORM_IS_COPY(type) && !static_cast<GstMetaTransformCopy*>(data)->region;
  }

  PendingList list;
};

using PendingMeta = ValueMeta<Pending>;

}  // namespace

GType pending_api() { return PendingMeta::api(); }

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
