/* AHardwareBuffer: buffers that processes and devices share. Plain C99. libnativewindow.so exports the functions: on Android the
 * platform's, elsewhere the library of that name next to libneuralnetworks.so (link it, or load it at run time). Any thread may
 * call them. Functions returning int return 0 or a negative errno number. */
#ifndef ANDROID_HARDWARE_BUFFER_H
#define ANDROID_HARDWARE_BUFFER_H

#include <android/rect.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A graphics buffer; opaque. */
typedef struct AHardwareBuffer AHardwareBuffer;

/* Pixel formats. BLOB is a plain array of `width` bytes. */
enum AHardwareBuffer_Format {
  AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
  AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
  AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
  AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
  AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
  AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
  AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
  AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
  AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
  AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
  AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
  AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
  AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
  AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
  AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
  AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38,
  AHARDWAREBUFFER_FORMAT_R16_UINT = 0x39,
  AHARDWAREBUFFER_FORMAT_R16G16_UINT = 0x3a,
  AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b,
  AHARDWAREBUFFER_FORMAT_YCbCr_P210 = 0x3c
};

/* The intended uses of a buffer; 64 bits wide, combined by or. */
#define AHARDWAREBUFFER_USAGE_CPU_READ_NEVER UINT64_C(0)
#define AHARDWAREBUFFER_USAGE_CPU_READ_RARELY UINT64_C(2)
#define AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN UINT64_C(3)
#define AHARDWAREBUFFER_USAGE_CPU_READ_MASK UINT64_C(0xF)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER UINT64_C(0)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY UINT64_C(0x20)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN UINT64_C(0x30)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK UINT64_C(0xF0)
#define AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE (UINT64_C(1) << 8)
#define AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER (UINT64_C(1) << 9)
#define AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER
#define AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY (UINT64_C(1) << 11)
#define AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT (UINT64_C(1) << 14)
#define AHARDWAREBUFFER_USAGE_VIDEO_ENCODE (UINT64_C(1) << 16)
#define AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA (UINT64_C(1) << 23)
#define AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER (UINT64_C(1) << 24)
#define AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP (UINT64_C(1) << 25)
#define AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE (UINT64_C(1) << 26)
#define AHARDWAREBUFFER_USAGE_FRONT_BUFFER (UINT64_C(1) << 32)

/* Shape and purpose of a buffer. */
typedef struct AHardwareBuffer_Desc {
  uint32_t width;  /* pixels; bytes for BLOB */
  uint32_t height; /* pixels; 1 for BLOB */
  uint32_t layers;
  uint32_t format; /* an AHardwareBuffer_Format */
  uint64_t usage;  /* AHARDWAREBUFFER_USAGE_* */
  uint32_t stride; /* row stride in pixels; written by describe, ignored by allocate */
  uint32_t rfu0;   /* must be 0 */
  uint64_t rfu1;   /* must be 0 */
} AHardwareBuffer_Desc;

/* One plane of a locked buffer. */
typedef struct AHardwareBuffer_Plane {
  void* data;           /* the first sample */
  uint32_t pixelStride; /* bytes from a sample to the next one in its row */
  uint32_t rowStride;   /* bytes from a row to the next */
} AHardwareBuffer_Plane;

/* The planes of a locked buffer: Y, Cb, Cr for YUV formats, else one. */
typedef struct AHardwareBuffer_Planes {
  uint32_t planeCount;
  AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

/* Makes a buffer; the caller owns one reference. Returns -EINVAL if a pointer is NULL or the description breaks a rule. Returns
 * -ENOSYS if it is valid, but not available here, and -ENOMEM if it is too large for this machine. */
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc* desc, AHardwareBuffer** outBuffer);

/* 1 if a buffer of this description can be made, memory permitting; else 0. */
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc* desc);

/* Add, and release, a reference. The release of the last one frees the buffer and ends its locks. */
void AHardwareBuffer_acquire(AHardwareBuffer* buffer);
void AHardwareBuffer_release(AHardwareBuffer* buffer);

/* The description of the buffer, including its actual stride. */
void AHardwareBuffer_describe(const AHardwareBuffer* buffer, AHardwareBuffer_Desc* outDesc);

/* A number that is the same in all processes that share the buffer, and different from those of other buffers. */
int AHardwareBuffer_getId(const AHardwareBuffer* buffer, uint64_t* outId);

/* Waits for `fence`, then returns the address of the content. `fence` is a pollable descriptor (negative: none); the call owns it
 * from here on, also when it fails. `usage` is AHARDWAREBUFFER_USAGE_CPU_* alone, and only what the buffer was allocated for.
 * `rect`: the part that the caller will modify; NULL means everything. -EINVAL: another usage or rectangle, a buffer of more than
 * one layer, or the fence failed. */
int AHardwareBuffer_lock(AHardwareBuffer* buffer, uint64_t usage, int32_t fence, const ARect* rect, void** outVirtualAddress);
/* The same, with the bytes per pixel and per row; -1 for formats that have no such number. Both pointers may be NULL. */
int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer* buffer, uint64_t usage, int32_t fence, const ARect* rect,
                                   void** outVirtualAddress, int32_t* outBytesPerPixel, int32_t* outBytesPerStride);
/* The same, plane by plane. */
int AHardwareBuffer_lockPlanes(AHardwareBuffer* buffer, uint64_t usage, int32_t fence, const ARect* rect,
                               AHardwareBuffer_Planes* outPlanes);

/* Ends one lock. `fence` may be NULL; it receives -1, or a descriptor that the caller owns and that signals when all writes are
 * visible. -EINVAL: the buffer is not locked. */
int AHardwareBuffer_unlock(AHardwareBuffer* buffer, int32_t* fence);

/* Sends a buffer over a connected AF_UNIX socket, and receives one; the receiver owns one reference. Each buffer is one message.
 * The receiver does not trust the sender. Returns -EINVAL for another kind of socket, or for a message that is no valid buffer.
 * -EPIPE: the other end is closed. */
int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer* buffer, int socketFd);
int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer** outBuffer);

#ifdef __cplusplus
}
#endif

#endif /* ANDROID_HARDWARE_BUFFER_H */
