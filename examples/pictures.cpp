// A batch of pictures in one execution. Eight pictures of different sizes show four shapes. The device crops each to a square and
// resizes it; a network then names the shapes. A contact sheet shows what the network saw: a frame's colour stands for the name.
// <nnvk/picture.h> binds one picture to one input, so the model has one per picture and begins with a CONCATENATION, which makes
// the batch. If the number of pictures changes, use a model with one input and an execution per picture in a burst.
//
//   c++ -std=c++20 pictures.cpp $(pkg-config --cflags --libs nnvk) -o pictures && ./pictures pictures.ppm
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <nnvk/picture.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <vector>

constexpr uint32_t kSide = 96, kValues = kSide * kSide * 3, kShapes = 4, kPictures = 8;
using Colour = std::array<uint8_t, 3>;
struct Picture {
  uint32_t width, height;
  int32_t shape;
  Colour paint;
};
constexpr const char* kNames[kShapes] = {"square", "disc", "triangle", "cross"};
constexpr Colour kNameColours[kShapes] = {{230, 80, 70}, {240, 190, 60}, {90, 190, 110}, {80, 140, 230}};
constexpr Picture kBatch[kPictures] = {
    {200, 120, 1, {250, 240, 200}}, {96, 96, 3, {240, 160, 220}},  {90, 160, 0, {250, 170, 80}},   {333, 222, 2, {150, 250, 190}},
    {64, 64, 2, {230, 230, 230}},   {150, 400, 1, {250, 220, 90}}, {500, 130, 3, {200, 240, 110}}, {121, 77, 0, {160, 190, 250}}};

void check(int code) {
  if (code != ANEURALNETWORKS_NO_ERROR) std::fprintf(stderr, "%s\n", nnvk_lastError()), std::exit(1);
}

// Returns the object that `create` makes. It is freed when nothing holds it any more.
template <class T>
std::shared_ptr<T> make(void (*free)(T*), auto create, auto... inputs) {
  T* object = nullptr;
  check(create(inputs..., &object));
  return {object, free};
}

// Whether a shape in the middle of a picture covers a pixel.
bool covers(int32_t shape, uint32_t pixel, uint32_t width, uint32_t height) {
  const float side = std::min(width, height), left = pixel % width, up = pixel - pixel % width;
  const float x = std::abs(2 * left + 1 - width) / side, y = (2 * up / width + 1 - height) / side;
  const float near = std::min(x, std::abs(y)), far = std::max(x, std::abs(y));
  if (shape == 0) return far < 0.6f;
  if (shape == 1) return std::hypot(x, y) < 0.7f;
  if (shape == 2) return y < 0.6f && x < (y + 0.7f) * 0.55f;
  return near < 0.22f && far < 0.75f;
}

// A picture as programs have it: RGBA in shared memory.
std::shared_ptr<ANeuralNetworksMemory> draw(const Picture& picture) {
  const auto [width, height, shape, paint] = picture;
  const size_t size = size_t{4} * width * height;
  const int fd = memfd_create("picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (ftruncate(fd, size) != 0) std::exit(1);
  auto* const bytes = static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  for (size_t i = 0; i < size; ++i) bytes[i] = i % 4 == 3 ? 255 : paint[i % 4] / (covers(shape, i / 4, width, height) ? 1 : 5);
  munmap(bytes, size);
  nnvk_FrameLayout layout = {sizeof(layout), width, height, NNVK_FRAME_ABGR8888, 0, 0, NNVK_FRAME_SEAL, 1, {}};
  layout.planes[0].rowPitch = width * 4;
  auto memory = make(ANeuralNetworksMemory_free, nnvk_Memory_createFromFds, &layout, &fd, 1);
  close(fd);  // the memory has its own
  return memory;
}

// A row of weights per shape: how much each value of a picture speaks for it.
std::vector<float> shape_weights() {
  std::vector<float> weights(size_t{kShapes} * kValues);
  for (uint32_t shape = 0; shape < kShapes; ++shape) {
    float* const row = &weights[size_t{shape} * kValues];
    for (uint32_t i = 0; i < kValues; ++i) row[i] = covers(shape, i / 3, kSide, kSide);
    const float mean = std::accumulate(row, row + kValues, 0.0f) / kValues, deviation = std::sqrt(mean * (1 - mean));
    for (uint32_t i = 0; i < kValues; ++i) row[i] = (row[i] - mean) / deviation;
  }
  return weights;
}

int main(int argc, char** argv) {
  const auto model = make(ANeuralNetworksModel_free, ANeuralNetworksModel_create);
  auto add = [&, count = 0](int32_t type, std::vector<uint32_t> shape, const auto&... value) mutable {
    const ANeuralNetworksOperandType operand = {type, uint32_t(shape.size()), shape.data(), 0, 0};
    check(ANeuralNetworksModel_addOperand(model.get(), &operand));
    (check(ANeuralNetworksModel_setOperandValue(model.get(), count, value.data(), value.size() * 4)), ...);  // a constant
    return uint32_t(count++);  // operands are numbered in the order in which they are added
  };
  const auto apply = [&](int32_t operation, const std::vector<uint32_t>& inputs, uint32_t output) {
    check(ANeuralNetworksModel_addOperation(model.get(), operation, uint32_t(inputs.size()), inputs.data(), 1, &output));
  };
  constexpr int32_t floats = ANEURALNETWORKS_TENSOR_FLOAT32, integer = ANEURALNETWORKS_INT32;
  const std::vector<float> values = shape_weights(), zeros(kShapes);  // the model does not copy them
  std::vector<uint32_t> pictures;
  while (pictures.size() < kPictures) pictures.push_back(add(floats, {1, kSide, kSide, 3}));
  const uint32_t pictures_axis = add(integer, {}, std::array{0}), batch = add(floats, {kPictures, kSide, kSide, 3});
  const uint32_t weights = add(floats, {kShapes, kValues}, values), bias = add(floats, {kShapes}, zeros);
  const uint32_t activation = add(integer, {}, std::array<int32_t, 1>{ANEURALNETWORKS_FUSED_NONE});
  const uint32_t scores = add(floats, {kPictures, kShapes}), scores_axis = add(integer, {}, std::array{1});
  const uint32_t answers = add(ANEURALNETWORKS_TENSOR_INT32, {kPictures}), outputs[2] = {batch, answers};
  pictures.push_back(pictures_axis);
  apply(ANEURALNETWORKS_CONCATENATION, pictures, batch);
  apply(ANEURALNETWORKS_FULLY_CONNECTED, {batch, weights, bias, activation}, scores);
  apply(ANEURALNETWORKS_ARGMAX, {scores, scores_axis}, answers);
  check(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), kPictures, pictures.data(), 2, outputs));
  check(ANeuralNetworksModel_finish(model.get()));
  const auto compilation = make(ANeuralNetworksCompilation_free, ANeuralNetworksCompilation_create, model.get());
  check(ANeuralNetworksCompilation_finish(compilation.get()));

  std::vector<std::shared_ptr<ANeuralNetworksMemory>> memories;
  std::vector<float> seen(size_t{kPictures} * kValues);
  std::array<int32_t, kPictures> names;
  const auto execution = make(ANeuralNetworksExecution_free, ANeuralNetworksExecution_create, compilation.get());
  for (uint32_t n = 0; n < kPictures; ++n) {
    const auto [width, height, shape, paint] = kBatch[n];
    nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;  // values from 0 to 1
    conversion.cropWidth = conversion.cropHeight = std::min(width, height);
    conversion.cropLeft = (width - conversion.cropWidth) / 2, conversion.cropTop = (height - conversion.cropHeight) / 2;
    memories.push_back(draw(kBatch[n]));
    check(nnvk_Execution_setInputPicture(execution.get(), n, &conversion));
    check(ANeuralNetworksExecution_setInputFromMemory(execution.get(), n, nullptr, memories[n].get(), 0, 0));
  }
  check(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, seen.data(), seen.size() * sizeof(float)));
  check(ANeuralNetworksExecution_setOutput(execution.get(), 1, nullptr, names.data(), sizeof(names)));
  check(ANeuralNetworksExecution_compute(execution.get()));

  constexpr uint32_t kFrame = 6, kCell = kSide + 2 * kFrame, kWidth = 4 * kCell, kHeight = 2 * kCell;
  std::ofstream sheet(argc > 1 ? argv[1] : "pictures.ppm", std::ios::binary);
  sheet << "P6 " << kWidth << ' ' << kHeight << " 255\n";
  for (uint32_t i = 0; i < kWidth * kHeight; ++i) {
    const uint32_t x = i % kWidth, y = i / kWidth, n = y / kCell * 4 + x / kCell;
    const uint32_t column = x % kCell - kFrame, row = y % kCell - kFrame;  // huge numbers left of the picture, and above it
    const uint32_t inside = column < kSide && row < kSide, red = ((n * kSide + row) * kSide + column) * 3;
    for (uint32_t c = 0; c < 3; ++c)
      sheet << (inside ? static_cast<uint8_t>(std::lround(seen[red + c] * 255)) : kNameColours[names[n]][c]);
  }
  int wrong = 0;
  for (uint32_t n = 0; n < kPictures; ++n) {
    std::printf("%u x %u pixels: %s\n", kBatch[n].width, kBatch[n].height, kNames[names[n]]);
    const float middle = seen[n * kValues + (kSide / 2 * kSide + kSide / 2) * 3] * 255;
    wrong += names[n] != kBatch[n].shape || !(std::abs(middle - kBatch[n].paint[0]) < 0.5f);
  }
  return wrong == 0 && sheet.flush() ? 0 : 1;
}
