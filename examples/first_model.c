// A first model with NNAPI: a convolution that finds the edges of a picture, built, compiled and run.
//
//   cc first_model.c $(pkg-config --cflags --libs nnvk) -o first_model && ./first_model
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 8 };

// Every call of NNAPI returns a code; nnvk_lastError() returns the reason as text.
static void check(int code, const char* call) {
  if (code == ANEURALNETWORKS_NO_ERROR) return;
  fprintf(stderr, "%s returned %d: %s\n", call, code, nnvk_lastError());
  exit(1);
}
#define CHECK(call) check(call, #call)

// Adds an operand and returns its index: operands are numbered in the order in which they are added.
static uint32_t add_operand(ANeuralNetworksModel* model, int32_t type, uint32_t rank, const uint32_t* dimensions) {
  static uint32_t next_index = 0;
  const ANeuralNetworksOperandType operand = {.type = type, .dimensionCount = rank, .dimensions = dimensions};
  CHECK(ANeuralNetworksModel_addOperand(model, &operand));
  return next_index++;
}

static uint32_t add_scalar(ANeuralNetworksModel* model, int32_t value) {
  const uint32_t index = add_operand(model, ANEURALNETWORKS_INT32, 0, NULL);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, &value, sizeof(value)));  // small values are copied
  return index;
}

int main(void) {
  // The model uses the weights in place: they must not change until the model is freed.
  static const float kEdges[9] = {-1, -1, -1, -1, 8, -1, -1, -1, -1};
  static const float kBias[1] = {0};
  static const uint32_t kPicture[4] = {1, kSide, kSide, 1};  // batch, height, width, channels
  static const uint32_t kWeights[4] = {1, 3, 3, 1};          // output channels, height, width, input channels
  static const uint32_t kOneChannel[1] = {1};

  // The model: operands first, then the operation that connects them.
  ANeuralNetworksModel* model = NULL;
  CHECK(ANeuralNetworksModel_create(&model));
  const uint32_t picture = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 4, kPicture);
  const uint32_t weights = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 4, kWeights);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)weights, kEdges, sizeof(kEdges)));
  const uint32_t bias = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, kOneChannel);
  CHECK(ANeuralNetworksModel_setOperandValue(model, (int32_t)bias, kBias, sizeof(kBias)));
  const uint32_t padding = add_scalar(model, ANEURALNETWORKS_PADDING_SAME);
  const uint32_t stride = add_scalar(model, 1);
  const uint32_t activation = add_scalar(model, ANEURALNETWORKS_FUSED_RELU);
  const uint32_t edges = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 4, kPicture);
  const uint32_t inputs[7] = {picture, weights, bias, padding, stride, stride, activation};
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, &edges));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &picture, 1, &edges));
  CHECK(ANeuralNetworksModel_finish(model));

  // The compilation: the library chooses the device. With ANeuralNetworksCompilation_createForDevices you choose it.
  ANeuralNetworksCompilation* compilation = NULL;
  CHECK(ANeuralNetworksCompilation_create(model, &compilation));
  CHECK(ANeuralNetworksCompilation_setPreference(compilation, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
  CHECK(ANeuralNetworksCompilation_finish(compilation));

  // One execution per run; a compilation serves any number of them, from any thread.
  static float pixels[kSide][kSide];
  for (int y = 2; y < 6; ++y) {
    for (int x = 2; x < 6; ++x) pixels[y][x] = 1;
  }
  static float result[kSide][kSide];
  ANeuralNetworksExecution* execution = NULL;
  CHECK(ANeuralNetworksExecution_create(compilation, &execution));
  CHECK(ANeuralNetworksExecution_setInput(execution, 0, NULL, pixels, sizeof(pixels)));
  CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, result, sizeof(result)));
  CHECK(ANeuralNetworksExecution_compute(execution));
  ANeuralNetworksExecution_free(execution);

  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) putchar(result[y][x] > 0 ? '#' : '.');
    putchar('\n');
  }
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);  // after all compilations of it

  // The outline of the square, and nothing else.
  static const char* const kExpected[kSide] = {"........", "........", "..####..", "..#..#..",
                                               "..#..#..", "..####..", "........", "........"};
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      if ((result[y][x] > 0) != (kExpected[y][x] == '#')) return 1;
    }
  }
  return 0;
}
