/* The public declarations of AHardwareBuffer that the Neural Networks API refers to: descriptors, formats, usage bits. Plain C99.
 * Declarations only: on Android the functions come from libnativewindow.so; on other systems this library does not provide
 * buffers yet, and ANeuralNetworksMemory_createFromAHardwareBuffer returns an error. */
#ifndef ANDROID_HARDWARE_BUFFER_H
#define ANDROID_HARDWARE_BUFFER_H

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
  AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b
};

/* What a buffer is going to be used for; 64 bits wide, combined by or. */
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

#ifdef __cplusplus
}
#endif

#endif /* ANDROID_HARDWARE_BUFFER_H */
