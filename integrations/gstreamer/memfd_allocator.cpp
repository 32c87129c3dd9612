#include "integrations/gstreamer/memfd_allocator.h"

#include <fcntl.h>
#include <gst/allocators/allocators.h>
#include <sys/mman.h>
#include <unistd.h>

struct NnvkMemfdAllocator {
  GstFdAllocator parent;
};

struct NnvkMemfdAllocatorClass {
  GstFdAllocatorClass parent;
};

static GType nnvk_memfd_allocator_get_type();
G_DEFINE_TYPE(NnvkMemfdAllocator, nnvk_memfd_allocator, GST_TYPE_FD_ALLOCATOR)

static GstMemory* allocate_memfd(GstAllocator* allocator, gsize size, GstAllocationParams* params) {
  const gsize whole = params->prefix + size + params->padding;
  const int fd = memfd_create("nnvk_frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(whole)) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    GST_ERROR_OBJECT(allocator, "no memfd of %" G_GSIZE_FORMAT " bytes: %s", whole, g_strerror(errno));
    if (fd >= 0) close(fd);
    return nullptr;
  }
  // Frames are mapped again and again, so the mapping stays.
  GstMemory* memory = gst_fd_allocator_alloc(allocator, fd, whole, GST_FD_MEMORY_FLAG_KEEP_MAPPED);
  if (memory != nullptr) gst_memory_resize(memory, static_cast<gssize>(params->prefix), size);
  return memory;
}

static void nnvk_memfd_allocator_class_init(NnvkMemfdAllocatorClass* klass) {
  GST_ALLOCATOR_CLASS(klass)->alloc = allocate_memfd;
}

static void nnvk_memfd_allocator_init(NnvkMemfdAllocator* allocator) {
  // Pools may allocate by the usual function.
  GST_OBJECT_FLAG_UNSET(allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

namespace nnvk::gstreamer {

GstAllocator* memfd_allocator() {
  return GST_ALLOCATOR(gst_object_ref_sink(g_object_new(nnvk_memfd_allocator_get_type(), nullptr)));
}

GstBufferPool* make_frame_pool(GstCaps* caps, const GstVideoInfo& info, guint least) {
  GstBufferPool* pool = gst_video_buffer_pool_new();
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(info.size), least, 0);
  GstAllocator* allocator = memfd_allocator();
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  gst_buffer_pool_config_set_allocator(config, allocator, &params);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_object_unref(allocator);
  if (!gst_buffer_pool_set_config(pool, config)) GST_WARNING_OBJECT(pool, "the pool does not take its configuration");
  return pool;
}

}  // namespace nnvk::gstreamer
