// A chain of fenced executions: each starts when the one before has ended, and this program waits only for the last one.
//
// No thread waits in between: the program submits all executions at once, and a GPU runs one after the other on its own. To this
// end their inputs and outputs lie in memories. (The host would copy plain pointers between the links.)
//
//  cc fenced_chain.c $(pkg-config --cflags --libs nnvk) -o fenced_chain && ./fenced_chain
#define _GNU_SOURCE
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kCount = 16, kLinks = 8 };

// Every call of NNAPI returns a code; nnvk_lastError() returns the reason as text.
static void check(int code, const char* call) {
  if (code == ANEURALNETWORKS_NO_ERROR) return;
  fprintf(stderr, "%s returned %d: %s\n", call, code, nnvk_lastError());
  exit(1);
}
#define CHECK(call) check(call, #call)

// y = x + x.
static ANeuralNetworksModel* make_model(void) {
  static const uint32_t kDimensions[1] = {kCount};
  const ANeuralNetworksOperandType tensor = {
      .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = kDimensions};
  const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
  const int32_t no_activation = ANEURALNETWORKS_FUSED_NONE;
  const uint32_t x = 0, activation = 1, y = 2;
  const uint32_t inputs[3] = {x, x, activation};
  ANeuralNetworksModel* model = NULL;
  CHECK(ANeuralNetworksModel_create(&model));
  CHECK(ANeuralNetworksModel_addOperand(model, &tensor));
  CHECK(ANeuralNetworksModel_addOperand(model, &scalar));
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)activation, &no_activation, sizeof(no_activation)));
  CHECK(ANeuralNetworksModel_addOperand(model, &tensor));
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &y));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y));
  CHECK(ANeuralNetworksModel_finish(model));
  return model;
}

int main(void) {
  ANeuralNetworksModel* model = make_model();
  ANeuralNetworksCompilation* compilation = NULL;
  CHECK(ANeuralNetworksCompilation_create(model, &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));

  // Memory that this program and the devices share: one tensor between every two links.
  const size_t tensor_size = kCount * sizeof(float);
  const size_t stride = 4096;  // devices prefer aligned tensors
  const size_t size = (kLinks + 1) * stride;
  const int file = memfd_create("fenced_chain", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) return 1;
  char* bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) return 1;
  ANeuralNetworksMemory* memory = NULL;
  CHECK(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, file, 0, &memory));
  close(file);  // the memory has a descriptor of its own
  for (int i = 0; i < kCount; ++i) ((float*)bytes)[i] = (float)i;

  // The chain. Each call returns at once; the next link depends on its event.
  ANeuralNetworksExecution* executions[kLinks];
  ANeuralNetworksEvent* events[kLinks];
  for (size_t i = 0; i < kLinks; ++i) {
    CHECK(ANeuralNetworksExecution_create(compilation, &executions[i]));
    CHECK(ANeuralNetworksExecution_setInputFromMemory(executions[i], 0, NULL, memory, i * stride, tensor_size));
    CHECK(ANeuralNetworksExecution_setOutputFromMemory(executions[i], 0, NULL, memory, (i + 1) * stride, tensor_size));
    const ANeuralNetworksEvent* const before = i > 0 ? events[i - 1] : NULL;
    CHECK(ANeuralNetworksExecution_startComputeWithDependencies(executions[i], &before, i > 0 ? 1 : 0, 0, &events[i]));
  }

  // The last event as a file descriptor, for an event loop, a compositor or another process: readable when the chain has ended,
  // with POLLERR if a link has failed. Events of nnapi-reference have none.
  int fence = -1;
  if (ANeuralNetworksEvent_getSyncFenceFd(events[kLinks - 1], &fence) == ANEURALNETWORKS_NO_ERROR) {
    struct pollfd ready = {.fd = fence, .events = POLLIN};
    while (poll(&ready, 1, -1) < 0) {
    }
    close(fence);
  }
  // If a link fails, those behind it fail too: the last event reports any failure. An execution counts as computing until
  // somebody has waited for its event.
  for (size_t i = kLinks; i-- > 0;) {
    CHECK(ANeuralNetworksEvent_wait(events[i]));
    ANeuralNetworksEvent_free(events[i]);
    ANeuralNetworksExecution_free(executions[i]);
  }

  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    const float result = ((const float*)(bytes + kLinks * stride))[i];
    printf("%g ", result);
    if (result != (float)(i << kLinks)) ++wrong;
  }
  putchar('\n');
  ANeuralNetworksMemory_free(memory);
  munmap(bytes, size);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
  return wrong == 0 ? 0 : 1;
}
