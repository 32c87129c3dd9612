/* Hardware buffers in and out across two processes.
 *
 * The first process has video frames in memory of its own, as decoders and compositors provide them. Here it is a memfd,
 * elsewhere dma-bufs of V4L2, VA-API or PipeWire. It wraps one frame as a hardware buffer and makes a second buffer for the
 * result. It sends both to a worker and waits for the fence that the worker returns. The worker binds them to a fenced execution
 * of a model. No pixel is copied between the two: the model's device reads the frame in place, converts it to a grey image
 * without cropping, and averages it.
 *
 *  `first process                             worker
 *   memfd ─ createFromFds ─ frame  ── send ─►  recv ─ createFromAHardwareBuffer ─ input ┐
 *           allocate ────── result ── send ─►  recv ─ createFromAHardwareBuffer ─ output ┤ fenced execution
 *           lock(result, fence)    ◄─ fence ─                       getSyncFenceFd ──────┘` */
#define _GNU_SOURCE
#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <fcntl.h>
#include <math.h>
#include <nnvk/hardware_buffer.h>
#include <nnvk/picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWidth = 64, kHeight = 48, kPitch = 96, kTile = 8 };
enum { kColumns = kWidth / kTile, kRows = kHeight / kTile };
#define RESULT_BYTES (kColumns * kRows * sizeof(float))

/* Checks the result of every call: 0 is success everywhere. */
#define CHECK(call)                                                               \
  do {                                                                            \
    const int result_ = (call);                                                   \
    if (result_ != 0) {                                                           \
      fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, result_); \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

/* One descriptor over the socket: the fence. */
static void send_descriptor(int socket, int fd) {
  char byte = 0;
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec content = {&byte, 1};
  struct msghdr message = {0};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  struct cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(part), &fd, sizeof fd);
  CHECK(sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1);
}

static int receive_descriptor(int socket) {
  char byte = 0;
  int fd = -1;
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec content = {&byte, 1};
  struct msghdr message = {0};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  CHECK(recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message) != NULL ? 0 : -1);
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

/* y = the average of each tile of a grey image. */
static ANeuralNetworksModel* make_model(void) {
  const uint32_t image[4] = {1, kHeight, kWidth, 1};
  const uint32_t tiles[4] = {1, kRows, kColumns, 1};
  const ANeuralNetworksOperandType image_type = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, image, 0.0f, 0};
  const ANeuralNetworksOperandType tiles_type = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, tiles, 0.0f, 0};
  const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0.0f, 0};
  /* AVERAGE_POOL_2D: padding scheme, strides, filter size, activation. */
  const int32_t numbers[6] = {ANEURALNETWORKS_PADDING_VALID, kTile, kTile, kTile, kTile, ANEURALNETWORKS_FUSED_NONE};
  const uint32_t inputs[7] = {0, 1, 2, 3, 4, 5, 6};
  const uint32_t input = 0;
  const uint32_t output = 7;
  ANeuralNetworksModel* model = NULL;
  CHECK(ANeuralNetworksModel_create(&model));
  CHECK(ANeuralNetworksModel_addOperand(model, &image_type));
  for (int i = 0; i < 6; ++i) {
    CHECK(ANeuralNetworksModel_addOperand(model, &number));
    CHECK(ANeuralNetworksModel_setOperandValue(model, 1 + i, &numbers[i], sizeof numbers[i]));
  }
  CHECK(ANeuralNetworksModel_addOperand(model, &tiles_type));
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_AVERAGE_POOL_2D, 7, inputs, 1, &output));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1, &output));
  CHECK(ANeuralNetworksModel_finish(model));
  return model;
}

/* The second process: runs a model over the buffers that it receives. */
static void work(int socket) {
  ANeuralNetworksModel* model = make_model();
  ANeuralNetworksCompilation* compilation = NULL;
  CHECK(ANeuralNetworksCompilation_create(model, &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));

  AHardwareBuffer* frame = NULL;
  AHardwareBuffer* result = NULL;
  CHECK(AHardwareBuffer_recvHandleFromUnixSocket(socket, &frame));
  CHECK(AHardwareBuffer_recvHandleFromUnixSocket(socket, &result));
  ANeuralNetworksMemory* input = NULL;
  ANeuralNetworksMemory* output = NULL;
  CHECK(ANeuralNetworksMemory_createFromAHardwareBuffer(frame, &input));
  CHECK(ANeuralNetworksMemory_createFromAHardwareBuffer(result, &output));

  ANeuralNetworksExecution* execution = NULL;
  CHECK(ANeuralNetworksExecution_create(compilation, &execution));
  /* Set the conversion before the picture: then both are known when the picture is set, and that call prepares for it. */
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  conversion.colourMatrix = NNVK_PICTURE_BT709;
  conversion.deviation[0] = 1.0f; /* real values from 0 to 255 */
  CHECK(nnvk_Execution_setInputPicture(execution, 0, &conversion));
  CHECK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, input, 0, 0));
  CHECK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, output, 0, RESULT_BYTES));
  ANeuralNetworksEvent* event = NULL;
  CHECK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event));
  int fence = -1;
  if (ANeuralNetworksEvent_getSyncFenceFd(event, &fence) == ANEURALNETWORKS_NO_ERROR && fence >= 0) {
    send_descriptor(socket, fence); /* the first process waits for it; this one need not */
    close(fence);
  } else { /* nothing to hand out: it has ended, or ends soon */
    int done[2];
    CHECK(ANeuralNetworksEvent_wait(event));
    CHECK(pipe(done));
    CHECK(write(done[1], "x", 1) == 1 ? 0 : -1);
    send_descriptor(socket, done[0]);
    close(done[0]);
    close(done[1]);
  }
  CHECK(ANeuralNetworksEvent_wait(event));
  ANeuralNetworksEvent_free(event);
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksMemory_free(input);
  ANeuralNetworksMemory_free(output);
  AHardwareBuffer_release(frame);
  AHardwareBuffer_release(result);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
}

/* A frame as a decoder produces it: NV12 with padded rows, in memory that can no longer shrink. */
static int make_frame(void) {
  const size_t bytes = (size_t)kPitch * kHeight * 3 / 2;
  const int fd = memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK(ftruncate(fd, (off_t)bytes));
  CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
  unsigned char* pixels = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(pixels == MAP_FAILED);
  memset(pixels, 128, bytes);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) pixels[y * kPitch + x] = (unsigned char)(16 + 4 * (y / kTile * kColumns + x / kTile));
  }
  munmap(pixels, bytes);
  return fd;
}

int main(void) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
  const pid_t worker = fork();
  if (worker == 0) {
    close(ends[0]);
    work(ends[1]);
    return 0;
  }
  close(ends[1]);

  const int fd = make_frame();
  nnvk_FrameLayout layout = {0};
  layout.size = sizeof layout;
  layout.width = kWidth;
  layout.height = kHeight;
  layout.fourcc = NNVK_FRAME_NV12;
  layout.modifier = NNVK_FRAME_MODIFIER_LINEAR;
  layout.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
  layout.planeCount = 2;
  layout.planes[0].rowPitch = kPitch;
  layout.planes[1].offset = kPitch * kHeight;
  layout.planes[1].rowPitch = kPitch;
  AHardwareBuffer* frame = NULL;
  if (nnvk_HardwareBuffer_createFromFds(&layout, &fd, 1, &frame) != 0) {
    fprintf(stderr, "%s\n", nnvk_HardwareBuffer_lastError());
    return 1;
  }
  close(fd); /* the buffer has its own */

  AHardwareBuffer_Desc blob = {0};
  blob.width = RESULT_BYTES;
  blob.height = blob.layers = 1;
  blob.format = AHARDWAREBUFFER_FORMAT_BLOB;
  blob.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
  AHardwareBuffer* result = NULL;
  CHECK(AHardwareBuffer_allocate(&blob, &result));

  CHECK(AHardwareBuffer_sendHandleToUnixSocket(frame, ends[0]));
  CHECK(AHardwareBuffer_sendHandleToUnixSocket(result, ends[0]));
  const int fence = receive_descriptor(ends[0]);

  void* content = NULL;
  CHECK(AHardwareBuffer_lock(result, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, fence, NULL, &content)); /* waits; takes the fence */
  const float* averages = content;
  int wrong = 0;
  for (int tile = 0; tile < kColumns * kRows; ++tile) {
    const float wanted = 4.0f * (float)tile * 255.0f / 219.0f; /* luma from 16 to 235 */
    if (!(fabsf(averages[tile] - wanted) < 0.01f)) ++wrong;
  }
  printf("%d tiles, the last one has %.2f; %d are wrong\n", kColumns * kRows, (double)averages[kColumns * kRows - 1], wrong);
  CHECK(AHardwareBuffer_unlock(result, NULL));
  AHardwareBuffer_release(result);
  AHardwareBuffer_release(frame);

  int status = -1;
  CHECK(waitpid(worker, &status, 0) == worker ? 0 : -1);
  return wrong == 0 && status == 0 ? 0 : 1;
}
