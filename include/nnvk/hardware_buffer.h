/* Hardware buffers over memory that the program already has: frames of V4L2, VA-API, FFmpeg, PipeWire or another process, in
 * dma-bufs, memfds or other shared memory. Nothing is copied: the buffer is that memory. Plain C99.
 *
 * nnvk's libnativewindow.so exports these functions; Android's own library does not. Any thread may call them. The buffers are
 * AHardwareBuffers in every respect. Programs lock them, send them to other processes, and make memories of them
 * (ANeuralNetworksMemory_createFromAHardwareBuffer). They are inputs of executions as nnvk/picture.h describes. */
#ifndef NNVK_HARDWARE_BUFFER_H
#define NNVK_HARDWARE_BUFFER_H

#include <android/hardware_buffer.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Formats of frames, by DRM's names and the numbers of drm_fourcc.h. Behind each: its planes in their order, and the format that
 * AHardwareBuffer_describe returns. */
enum nnvk_FrameFormat {
  NNVK_FRAME_NV12 = 0x3231564e,     /* Y, then Cb and Cr in turn, one of each per 2x2 pixels; Y8Cb8Cr8_420 */
  NNVK_FRAME_NV21 = 0x3132564e,     /* Y, then Cr and Cb in turn; Y8Cb8Cr8_420 */
  NNVK_FRAME_YUV420 = 0x32315559,   /* I420: Y, Cb, Cr; Y8Cb8Cr8_420 */
  NNVK_FRAME_YVU420 = 0x32315659,   /* YV12: Y, Cr, Cb; Y8Cb8Cr8_420 */
  NNVK_FRAME_P010 = 0x30313050,     /* as NV12, 10 bits at the top of 16; YCbCr_P010 */
  NNVK_FRAME_P210 = 0x30313250,     /* the same with chroma per 2x1 pixels; YCbCr_P210 */
  NNVK_FRAME_YUYV = 0x56595559,     /* Y Cb Y Cr for each two pixels in one plane; 0x14, Android's internal YCBCR_422_I */
  NNVK_FRAME_UYVY = 0x59565955,     /* Cb Y Cr Y for each two pixels in one plane; 0x14 as well */
  NNVK_FRAME_NV16 = 0x3631564e,     /* as NV12, with chroma per 2x1 pixels; 0x10, Android's internal YCBCR_422_SP */
  NNVK_FRAME_R8 = 0x20203852,       /* grey: one byte per pixel; R8_UNORM */
  NNVK_FRAME_ABGR8888 = 0x34324241, /* bytes R, G, B, A; R8G8B8A8 */
  NNVK_FRAME_XBGR8888 = 0x34324258, /* bytes R, G, B and one that means nothing; R8G8B8X8 */
  NNVK_FRAME_ARGB8888 = 0x34325241, /* bytes B, G, R, A; 5, Android's internal B8G8R8A8 */
  NNVK_FRAME_XRGB8888 = 0x34325258, /* bytes B, G, R and one that means nothing; 5 as well */
  NNVK_FRAME_BGR888 = 0x34324742    /* bytes R, G, B; R8G8B8 */
};

/* The only modifier that nnvk accepts: rows one after the other. Ask the producer of tiled or compressed frames (GPU, decoder)
 * for linear ones. */
#define NNVK_FRAME_MODIFIER_LINEAR UINT64_C(0)

enum nnvk_FrameFlag {
  /* Seals shared memory that could still shrink (F_SEAL_SHRINK), for everybody and for good. */
  NNVK_FRAME_SEAL = 1,
  /* Accepts files that cannot be sealed too (shm_open, memfd_create without MFD_ALLOW_SEALING, files on disk). If another process
   * truncates such a file while it is used, SIGBUS kills this process. If the file became shorter before, the lock fails
   * (-EFAULT). Buffers over such files cannot be sent to other processes, nor be inputs with NNVK_UNTRUSTED_MEMORY=1. */
  NNVK_FRAME_TRUST_SIZE = 2
};

/* The location of one plane. */
typedef struct nnvk_FramePlane {
  uint32_t fdIndex;  /* of the descriptors */
  uint32_t offset;   /* bytes from the beginning of that memory to the first sample */
  uint32_t rowPitch; /* bytes from a row to the next; at least a row, and a whole number of samples */
} nnvk_FramePlane;

/* The format of a frame, and the locations of its planes. */
typedef struct nnvk_FrameLayout {
  uint32_t size;             /* sizeof(nnvk_FrameLayout): which version of this struct it is */
  uint32_t width;            /* pixels; odd numbers too: subsampled planes have one sample more */
  uint32_t height;           /* rows */
  uint32_t fourcc;           /* an nnvk_FrameFormat */
  uint64_t modifier;         /* NNVK_FRAME_MODIFIER_LINEAR */
  uint64_t usage;            /* AHARDWAREBUFFER_USAGE_*; pictures for executions need AHARDWAREBUFFER_USAGE_CPU_READ_*. Without
                                AHARDWAREBUFFER_USAGE_CPU_WRITE_* the memory is only ever read, and may be read-only */
  uint32_t flags;            /* nnvk_FrameFlag, combined by or */
  uint32_t planeCount;       /* the number of planes of the format */
  nnvk_FramePlane planes[4]; /* the rest is ignored */
} nnvk_FrameLayout;

/* Makes a buffer over `fdCount` (1 to 4) descriptors. It duplicates them: the caller may close its own. The caller owns one
 * reference. Planes may share a descriptor; several descriptors may be the same memory. All planes together, with the memory
 * between them, lie within 2^31 bytes.
 *
 * The library reads a memory's size once, so the memory must not shrink later. Dma-bufs cannot. Shared memory must be sealed
 * against it, or `flags` choose what to do. The producer's writes become visible as they happen: wait for its fence, or for the
 * dequeued frame, before you start an execution. Locks make dma-bufs coherent with the CPU (DMA_BUF_IOCTL_SYNC).
 *
 * Returns -EINVAL if a pointer is NULL, or the layout breaks a rule or does not lie within the memory. Returns -ENOSYS for an
 * unknown fourcc or modifier, -EBADF if a descriptor is not open, and -EPERM for memory that could shrink. Returns -EACCES if the
 * descriptor does not allow what `usage` asks for, and -ENOMEM. For the text of an error, see nnvk_HardwareBuffer_lastError(). */
int nnvk_HardwareBuffer_createFromFds(const nnvk_FrameLayout* layout, const int* fds, uint32_t fdCount,
                                      AHardwareBuffer** outBuffer);

/* Fills in the planes of a buffer, whether created above, allocated (AHardwareBuffer_allocate) or received; flags are 0. Set
 * layout->size first. Returns -EINVAL if a pointer is NULL, the buffer is not one of this process, or `size` is wrong. Returns
 * -ENOSYS if the buffer's format is none of the above. */
int nnvk_HardwareBuffer_getLayout(const AHardwareBuffer* buffer, nnvk_FrameLayout* layout);

/* The error text of the last failed call of the two functions above in this thread; "" when none failed. Valid until the thread's
 * next call of them. */
const char* nnvk_HardwareBuffer_lastError(void);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_HARDWARE_BUFFER_H */
