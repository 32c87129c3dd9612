/* Pictures as inputs of executions: camera frames, decoded video, rendered images. Plain C99.
 *
 * ANeuralNetworksMemory_createFromAHardwareBuffer makes a memory of a picture. The buffer has the format R8G8B8A8, R8G8B8X8,
 * R8G8B8, R8 (grey), Y8Cb8Cr8_420, YCbCr_P010 or YCbCr_P210. It may also hold a frame of any format in nnvk/hardware_buffer.h
 * (NV12, I420, YUYV, BGRA and more); nnvk_Memory_createFromFds below makes such a memory in one step. Bind the memory to an input
 * by ANeuralNetworksExecution_setInputFromMemory with offset 0 and length 0. Before the model runs, its device crops and resizes
 * the picture, converts its colours, and normalises and quantizes them. Then it writes the input's tensor. The client has no work
 * with it, and no call waits for it. Devices of plugins know no pictures: another device of the compilation, or the CPU, converts
 * for them.
 *
 * The compilation's device prepares once for each size, format, layout and conversion of pictures. It does so in the call that
 * binds the picture or the one that sets its conversion, whichever comes second. No starting call does (exceptions count as
 * "prepared_while_starting" in nnvk_describeCompilation). Set the conversion first: a picture that you bind without one is
 * prepared for the defaults. A compilation keeps the last eight preparations. The device reads the picture when the computation
 * has started, after its dependencies have signalled. The picture must not change until the computation has ended.
 *
 * The input is [1, height, width, channels] (or a batch of crops) of 1 (grey), 3 (RGB) or 4 (RGBA) channels and type
 * TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED. Alpha is dropped for three channels, and 255
 * in formats without it. One channel is the luma.
 *
 * The buffer needs AHARDWAREBUFFER_USAGE_CPU_READ_*. Without it, or with another kind of tensor, the computation ends in
 * ANEURALNETWORKS_UNMAPPABLE. */
#ifndef NNVK_PICTURE_H
#define NNVK_PICTURE_H

#include <android/NeuralNetworks.h>
#include <nnvk/hardware_buffer.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an element of the tensor is made of the pixels around its place. Pixel k of a row covers [k, k + 1). Element i of n in a
 * row covers [b, e) of a crop of w pixels from `left` on: b = left + i * w / n, e = b + w / n. Its position is (b + e) / 2. The
 * same holds for columns. Chroma samples are larger pixels. */
enum nnvk_PictureFilter {
  /* Between the two nearest middles of pixels in a row, and the same in a column; no averaging when shrinking. Beyond the middles
   * of the crop's outermost pixels: these pixels. */
  NNVK_PICTURE_BILINEAR = 0,
  NNVK_PICTURE_NEAREST = 1, /* the pixel that contains the position */
  /* The mean over [b, e): each pixel weighs as much as the part of it that lies there. Along a side that does not shrink, as
   * NNVK_PICTURE_BILINEAR, which is the mean over one pixel's width around the position. `nnvk run` resizes by this filter. */
  NNVK_PICTURE_AREA = 2
};

enum nnvk_PictureChannelOrder {
  NNVK_PICTURE_RGB = 0, /* the order of the tensor's channels; RGBA if there are four */
  NNVK_PICTURE_BGR = 1  /* BGRA if there are four */
};

enum nnvk_PictureTensorLayout {
  NNVK_PICTURE_NHWC = 0, /* [1, height, width, channels] */
  NNVK_PICTURE_NCHW = 1  /* [1, channels, height, width] */
};

/* The meaning of luma and chroma, and the weights of red, green and blue in the luma of an RGB picture. */
enum nnvk_PictureColourMatrix {
  NNVK_PICTURE_BT601 = 0,
  NNVK_PICTURE_BT709 = 1,
  NNVK_PICTURE_BT2020 = 2 /* non-constant luminance */
};

/* The range of the numbers in YUV pictures; RGB pictures always have the full range. */
enum nnvk_PictureColourRange {
  /* Luma 16 to 235, chroma 16 to 240 (ten bits: 64 to 940, 64 to 960): video, and what Android's codecs deliver. */
  NNVK_PICTURE_LIMITED_RANGE = 0,
  /* 0 to 255 (ten bits: 0 to 1023): JFIF, and what many cameras deliver for still pictures. */
  NNVK_PICTURE_FULL_RANGE = 1
};

/* The conversion of a picture to a tensor. Begin with NNVK_PICTURE_CONVERSION_DEFAULT, which also applies without a
 * conversion. */
typedef struct nnvk_PictureConversion {
  uint32_t size;        /* sizeof(nnvk_PictureConversion): which version of this struct it is */
  int32_t filter;       /* nnvk_PictureFilter */
  int32_t channelOrder; /* nnvk_PictureChannelOrder */
  int32_t tensorLayout; /* nnvk_PictureTensorLayout */
  int32_t colourMatrix; /* nnvk_PictureColourMatrix */
  int32_t colourRange;  /* nnvk_PictureColourRange */
  /* The part of the picture that fills the tensor, in pixels, fractions allowed: inside the picture and not empty. All 0: the
   * whole picture. The tensor's shape may have other proportions. */
  float cropLeft;
  float cropTop;
  float cropWidth;
  float cropHeight;
  /* Per channel of the tensor, in its order: real value = (channel - mean) / deviation. Channels lie between 0 and 255, also in
   * pictures with ten bits. The defaults 0 and 255 give 0 to 1; 127.5 and 127.5 give -1 to 1. Quantized tensors store the real
   * value by their scale and zero point. To store pixels unchanged, set a deviation of 1 / scale and a mean of the zero point.
   * (Signed types: a mean of the zero point + 128 stores the pixels minus 128.) Finite; deviations are not 0. */
  float mean[4];
  float deviation[4];
  /* Programs that were compiled before these members existed have a smaller `size`, and mean 0. First left and right of the crop
   * change places if `mirrored` is 1 (else 0), as in a mirror. Then the crop turns clockwise by `rotation` degrees: 0, 90, 180 or
   * 270. The filter then resizes the result: with 90 and 270 degrees, the tensor's width is along the picture's height. */
  int32_t rotation;
  int32_t mirrored;
} nnvk_PictureConversion;

/* Initialiser: the whole picture, upright, bilinear, RGB, NHWC, BT.601, limited range, 0 to 1. */
#define NNVK_PICTURE_CONVERSION_DEFAULT                                                                                      \
  {                                                                                                                          \
    sizeof(nnvk_PictureConversion), NNVK_PICTURE_BILINEAR, NNVK_PICTURE_RGB, NNVK_PICTURE_NHWC, NNVK_PICTURE_BT601,          \
        NNVK_PICTURE_LIMITED_RANGE, 0.0f, 0.0f, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f, 0.0f}, {255.0f, 255.0f, 255.0f, 255.0f}, 0, 0 \
  }

/* Sets the conversion of the picture that is, or will be, bound to input `index`. The conversion is copied; a second call
 * replaces it. Colours: R, G, B of YUV pictures are clamped to 0 to 255 before they are normalised. Chroma samples lie in the
 * middle of their four (P210, YUYV: two) pixels. Ten bits give values between those of eight. Every device computes the same
 * tensor, to the last bit.
 *
 * ANEURALNETWORKS_UNEXPECTED_NULL: a pointer is NULL. BAD_STATE: a computation of the execution has started. BAD_DATA: no such
 * input, a `size` of no version, a number outside its range, or a bound picture or other memory that this conversion does not
 * fit. If you bind after this call, ANeuralNetworksExecution_setInput* fails with BAD_DATA instead. The text of nnvk_lastError()
 * describes the error. */
int nnvk_Execution_setInputPicture(ANeuralNetworksExecution* execution, int32_t index, const nnvk_PictureConversion* conversion);

/* A part of a picture, in pixels, as cropLeft to cropHeight of nnvk_PictureConversion: inside the picture and not empty, or all 0
 * for the whole picture. */
typedef struct nnvk_PictureCrop {
  float left;
  float top;
  float width;
  float height;
} nnvk_PictureCrop;

/* Does the same as nnvk_Execution_setInputPicture() for a batch: element i of the input [cropCount, height, width, channels] (or
 * the same in NCHW) is crops[i] of the one picture. A detector's boxes become the batch of a classifier so, in one execution.
 * Mirroring, rotation, filter and all else of `conversion` apply to each crop; its own crop must be all 0. Both are copied. Other
 * crops need no other preparation, so they may change with every execution. An element may differ from the same crop alone by
 * rounding, if the filter is NNVK_PICTURE_AREA and the crop does not shrink.
 *
 * Errors: as nnvk_Execution_setInputPicture(). UNEXPECTED_NULL: `crops` is NULL. BAD_DATA also: no crops, or not as many as the
 * input's batch has elements. */
int nnvk_Execution_setInputPictureCrops(ANeuralNetworksExecution* execution, int32_t index,
                                        const nnvk_PictureConversion* conversion, const nnvk_PictureCrop* crops,
                                        uint32_t cropCount);

/* Makes a memory of a frame in dma-bufs, memfds or other shared memory. In one step, it calls nnvk_HardwareBuffer_createFromFds
 * over `fdCount` (1 to 4) descriptors and ANeuralNetworksMemory_createFromAHardwareBuffer. The rules for `layout` and `fds` are
 * those of nnvk_HardwareBuffer_createFromFds, but a `usage` of 0 means AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN. It copies no frame
 * and duplicates the descriptors. Free the memory with ANeuralNetworksMemory_free. It uses nnvk's libnativewindow.so, and loads
 * it if needed.
 *
 * ANEURALNETWORKS_UNEXPECTED_NULL: a pointer is NULL. BAD_DATA: the layout breaks a rule, does not lie within the memory, or a
 * descriptor does not permit what the layout and `usage` ask for. OP_FAILED: an unknown fourcc or modifier, or no
 * libnativewindow.so of nnvk. OUT_OF_MEMORY. On errors `memory` is NULL, and nnvk_lastError() describes the error. */
int nnvk_Memory_createFromFds(const nnvk_FrameLayout* layout, const int* fds, uint32_t fdCount, ANeuralNetworksMemory** memory);

#ifdef __cplusplus
}
#endif

#endif /* NNVK_PICTURE_H */
