/* A camera for programs that open NNVK_FAKE_CAMERA while this library is preloaded: V4L2's calls over memfds. It has one format,
 * NNVK_FAKE_CAMERA_FORMAT (a fourcc, YUYV when it is not set), at 96x54 and no other size.
 * It is as strict as a driver: frames are written only while they are its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIDTH = 96, HEIGHT = 54, PITCH = 256, MOST_FRAMES = 16, BYTES = PITCH * HEIGHT * 2 };

static struct {
  int descriptor; /* held by the program; 0: not opened */
  int is_streaming;
  uint32_t count;
  int memory[MOST_FRAMES];
  uint8_t* bytes[MOST_FRAMES];
  uint32_t queue[MOST_FRAMES]; /* the camera's own, oldest first */
  uint32_t queued;
  uint8_t number;
} camera;

static uint32_t only_format(void) {
  const char* name = getenv("NNVK_FAKE_CAMERA_FORMAT");
  if (name == NULL) name = "YUYV";
  return v4l2_fourcc(name[0], name[1], name[2], name[3]);
}

static int refuse(int reason) {
  errno = reason;
  return -1;
}

static int make_frames(struct v4l2_requestbuffers* request) {
  if (request->memory != V4L2_MEMORY_MMAP) return refuse(EINVAL);
  if (request->count > MOST_FRAMES) request->count = MOST_FRAMES;
  for (uint32_t i = 0; i < request->count; ++i) {
    camera.memory[i] = memfd_create("fake camera", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ftruncate(camera.memory[i], BYTES) != 0) return refuse(ENOMEM);
    fcntl(camera.memory[i], F_ADD_SEALS, F_SEAL_SHRINK);
    camera.bytes[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, camera.memory[i], 0);
  }
  camera.count = request->count;
  return 0;
}

static int take_back(struct v4l2_buffer* buffer) {
  if (buffer->index >= camera.count) return refuse(EINVAL);
  for (uint32_t i = 0; i < camera.queued; ++i) {
    if (camera.queue[i] == buffer->index) return refuse(EINVAL);
  }
  memset(camera.bytes[buffer->index], 0, BYTES); /* black and green: visible if a program reads a frame not its own */
  camera.queue[camera.queued++] = buffer->index;
  return 0;
}

/* A smooth picture whose luma moves. */
static uint8_t luma(uint32_t x, uint32_t y) { return (uint8_t)(40 + x + y + camera.number % 8); }
static uint8_t blue(uint32_t y) { return (uint8_t)(100 + y); }
static uint8_t red(uint32_t x) { return (uint8_t)(160 - x / 2); }

static void draw(uint8_t* bytes) {
  const uint32_t format = only_format();
  for (uint32_t y = 0; y < HEIGHT; ++y) {
    uint8_t* row = bytes + y * PITCH;
    for (uint32_t x = 0; x < WIDTH; ++x) {
      if (format == V4L2_PIX_FMT_YUYV) {
        row[2 * x] = luma(x, y);
        row[2 * x + 1] = x % 2 == 0 ? blue(y) : red(x - 1);
      } else {
        row[x] = luma(x, y);
      }
    }
  }
  if (format == V4L2_PIX_FMT_YUYV) return;
  uint8_t* chroma = bytes + PITCH * HEIGHT;
  for (uint32_t y = 0; y < HEIGHT; y += 2) {
    for (uint32_t x = 0; x < WIDTH; x += 2) {
      if (format == V4L2_PIX_FMT_NV12) {
        chroma[y / 2 * PITCH + x] = blue(y);
        chroma[y / 2 * PITCH + x + 1] = red(x);
      } else {
        chroma[y / 2 * (PITCH / 2) + x / 2] = blue(y);
        chroma[PITCH * HEIGHT / 4 + y / 2 * (PITCH / 2) + x / 2] = red(x);
      }
    }
  }
}

static int hand_out(struct v4l2_buffer* buffer) {
  if (!camera.is_streaming) return refuse(EINVAL);
  if (camera.queued == 0) return refuse(EAGAIN);
  const uint32_t index = camera.queue[0];
  memmove(camera.queue, camera.queue + 1, --camera.queued * sizeof camera.queue[0]);
  ++camera.number;
  draw(camera.bytes[index]);
  buffer->index = index;
  buffer->bytesused = BYTES;
  /* Every fifth frame is incomplete. */
  buffer->flags = camera.number % 5 == 0 ? V4L2_BUF_FLAG_ERROR : 0;
  return 0;
}

static int answer(unsigned long request, void* argument) {
  switch (request) {
    case VIDIOC_QUERYCAP: {
      struct v4l2_capability* abilities = argument;
      strcpy((char*)abilities->driver, "fake");
      abilities->capabilities = V4L2_CAP_DEVICE_CAPS;
      abilities->device_caps = V4L2_CAP_STREAMING;
      if (only_format() != v4l2_fourcc('N', 'O', 'N', 'E')) abilities->device_caps |= V4L2_CAP_VIDEO_CAPTURE;
      return 0;
    }
    case VIDIOC_S_FMT: {
      struct v4l2_pix_format* format = &((struct v4l2_format*)argument)->fmt.pix;
      format->pixelformat = only_format();
      format->width = WIDTH;
      format->height = HEIGHT;
      format->bytesperline = PITCH;
      format->sizeimage = BYTES;
      format->colorspace = V4L2_COLORSPACE_SRGB;
      return 0;
    }
    case VIDIOC_G_PARM:
      ((struct v4l2_streamparm*)argument)->parm.capture.timeperframe = (struct v4l2_fract){1, 15};
      return 0;
    case VIDIOC_REQBUFS:
      return make_frames(argument);
    case VIDIOC_QUERYBUF:
      ((struct v4l2_buffer*)argument)->length = BYTES;
      return 0;
    case VIDIOC_EXPBUF: {
      struct v4l2_exportbuffer* exported = argument;
      exported->fd = fcntl(camera.memory[exported->index], F_DUPFD_CLOEXEC, 0);
      return exported->fd < 0 ? -1 : 0;
    }
    case VIDIOC_QBUF:
      return take_back(argument);
    case VIDIOC_DQBUF:
      return hand_out(argument);
    case VIDIOC_STREAMON:
      camera.is_streaming = 1;
      return 0;
    case VIDIOC_STREAMOFF:
      camera.is_streaming = 0;
      return 0;
    default:
      return refuse(ENOTTY);
  }
}

int open(const char* path, int flags, ...) {
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const char* own = getenv("NNVK_FAKE_CAMERA");
  if (own == NULL || strcmp(path, own) != 0) return next(path, flags, mode);
  camera.descriptor = eventfd(1, EFD_CLOEXEC); /* always readable */
  return camera.descriptor;
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (camera.descriptor != 0 && descriptor == camera.descriptor) return answer(request, argument);
  int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  return next(descriptor, request, argument);
}
