// A camera, two networks and a consumer, ordered by fences. The camera fills a ring of four NV12 frames. The first network blurs
// a frame, which removes noise; the second finds edges. The program submits all frames at once, and waits once: for the last
// edges. Its picture shows all frames on top of each other, with their edges.
//
//   c++ -std=c++20 camera.cpp $(pkg-config --cflags --libs nnvk) -pthread -o camera && ./camera camera.pgm
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <nnvk/picture.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

constexpr int kWidth = 320, kHeight = 240, kPixels = kWidth * kHeight, kBytes = kPixels * 4, kRing = 4, kFrames = 12;
const std::vector<float> kBlur = {.06f, .13f, .06f, .13f, .24f, .13f, .06f, .13f, .06f},
                         kEdges = {-2, -2, -2, -2, 16, -2, -2, -2, -2};
// Memory that the camera, the devices and this program share.
struct Buffers {
  float blurred[kFrames][kPixels], edges[kFrames][kPixels];
  uint8_t ring[kRing][kPixels * 3 / 2];  // NV12: luma, then chroma
};

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

// The scene: a ball flies past a wall, and the sensor is noisy.
uint8_t luma(int frame, int x, int y) {
  const int wall = (x / 40 + y / 40) % 2 == 0 ? 50 : 65, noise = (x * 7919 + y * 104729 + frame * 1299709) % 5;
  return static_cast<uint8_t>(noise + (std::hypot(x - 40 - 22 * frame, y - 190 + 5 * frame * (11 - frame)) < 26 ? 200 : wall));
}

// Stands for a camera's driver. Returns at once, with a fence that signals when the frame is in `buffer`. The camera itself waits
// for the fence `free` before it draws: nobody reads the buffer any more (-1: nobody does).
int capture(std::vector<std::jthread>& camera, int number, uint8_t* buffer, int free) {
  const int filled = eventfd(0, EFD_CLOEXEC), fence = dup(filled);
  camera.emplace_back([=] {
    pollfd waiting = {free, POLLIN, 0};
    if (free >= 0) poll(&waiting, 1, -1), close(free);
    for (int i = 0; i < kPixels; ++i) buffer[i] = luma(number, i % kWidth, i / kWidth);
    eventfd_write(filled, 1), close(filled);
  });
  return fence;
}

// A convolution as a network: its model, whose operands are numbered in the order in which they are added, and its compilation.
auto make_network(const std::vector<float>& filter) {
  enum : int32_t { kPicture, kWeights, kBias, kPadding, kStride, kActivation, kResult };
  constexpr int32_t floats = ANEURALNETWORKS_TENSOR_FLOAT32, integer = ANEURALNETWORKS_INT32;
  constexpr int32_t same = ANEURALNETWORKS_PADDING_SAME, relu = ANEURALNETWORKS_FUSED_RELU;
  const uint32_t shape[4] = {1, kHeight, kWidth, 1}, filter_shape[4] = {1, 3, 3, 1}, bias_shape[1] = {1};
  const ANeuralNetworksOperandType picture = {floats, 4, shape, 0, 0}, weights = {floats, 4, filter_shape, 0, 0};
  const ANeuralNetworksOperandType bias = {floats, 1, bias_shape, 0, 0}, number = {integer, 0, nullptr, 0, 0};
  const uint32_t inputs[7] = {kPicture, kWeights, kBias, kPadding, kStride, kStride, kActivation}, output = kResult;
  const auto model = make(ANeuralNetworksModel_free, ANeuralNetworksModel_create);
  for (const auto* operand : {&picture, &weights, &bias, &number, &number, &number, &picture})
    check(ANeuralNetworksModel_addOperand(model.get(), operand));
  check(ANeuralNetworksModel_setOperandValue(model.get(), kWeights, filter.data(), filter.size() * sizeof(float)));
  const std::pair<int32_t, int32_t> values[4] = {{kBias, 0}, {kPadding, same}, {kStride, 1}, {kActivation, relu}};
  for (const auto& [index, value] : values) check(ANeuralNetworksModel_setOperandValue(model.get(), index, &value, 4));
  check(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_CONV_2D, 7, inputs, 1, &output));
  check(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, inputs, 1, &output));
  check(ANeuralNetworksModel_finish(model.get()));
  const auto compilation = make(ANeuralNetworksCompilation_free, ANeuralNetworksCompilation_create, model.get());
  check(ANeuralNetworksCompilation_finish(compilation.get()));
  return std::pair(model, compilation);
}

// One pixel of the result on the CPU, to check the network.
float filtered(const std::vector<float>& filter, int pixel, auto at) {
  float sum = 0;
  for (int i = 0; i < 9; ++i) {
    const int x = pixel % kWidth + i % 3 - 1, y = pixel / kWidth + i / 3 - 1;
    if (x >= 0 && x < kWidth && y >= 0 && y < kHeight) sum += filter[i] * at(x, y);
  }
  return std::fmax(sum, 0.0f);
}

int main(int argc, char** argv) {
  const int fd = memfd_create("camera", MFD_CLOEXEC | MFD_ALLOW_SEALING), access = PROT_READ | PROT_WRITE;
  if (ftruncate(fd, sizeof(Buffers)) != 0) return 1;
  auto& buffers = *static_cast<Buffers*>(mmap(nullptr, sizeof(Buffers), access, MAP_SHARED, fd, 0));
  const auto tensors = make(ANeuralNetworksMemory_free, ANeuralNetworksMemory_createFromFd, sizeof(Buffers), access, fd, 0);
  const auto [blur_model, blur] = make_network(kBlur);
  const auto [edge_model, edge] = make_network(kEdges);
  std::vector<std::shared_ptr<ANeuralNetworksMemory>> ring;
  for (uint32_t begin = sizeof(buffers.blurred) + sizeof(buffers.edges); ring.size() < kRing; begin += sizeof(buffers.ring[0])) {
    nnvk_FrameLayout layout = {sizeof(layout), kWidth, kHeight, NNVK_FRAME_NV12, 0, 0, NNVK_FRAME_SEAL, 2, {}};
    layout.planes[0] = {0, begin, kWidth}, layout.planes[1] = {0, begin + kPixels, kWidth};
    ring.push_back(make(ANeuralNetworksMemory_free, nnvk_Memory_createFromFds, &layout, &fd, 1));
  }
  std::vector<std::jthread> camera;
  std::vector<std::shared_ptr<ANeuralNetworksExecution>> executions;
  std::vector<std::shared_ptr<ANeuralNetworksEvent>> events;  // of each frame: captured, blurred, edges found
  const auto fence_of = [&](size_t event) {
    int fence = -1;
    check(ANeuralNetworksEvent_getSyncFenceFd(events[event].get(), &fence));
    return fence;
  };
  const auto start = [&](const auto& net, const auto& input, size_t offset, size_t size, size_t result) {
    const auto& run = executions.emplace_back(make(ANeuralNetworksExecution_free, ANeuralNetworksExecution_create, net.get()));
    const ANeuralNetworksEvent* const after = events.back().get();
    check(ANeuralNetworksExecution_setInputFromMemory(run.get(), 0, nullptr, input.get(), offset, size));
    check(ANeuralNetworksExecution_setOutputFromMemory(run.get(), 0, nullptr, tensors.get(), result, kBytes));
    const auto compute = ANeuralNetworksExecution_startComputeWithDependencies;
    events.push_back(make(ANeuralNetworksEvent_free, compute, run.get(), &after, 1, 0));
  };
  for (size_t n = 0; n < kFrames; ++n) {
    // The camera may fill a buffer again when the frame that it held has been blurred.
    const int captured = capture(camera, n, buffers.ring[n % kRing], n < kRing ? -1 : fence_of(3 * (n - kRing) + 1));
    events.push_back(make(ANeuralNetworksEvent_free, ANeuralNetworksEvent_createFromSyncFenceFd, captured)), close(captured);
    start(blur, ring[n % kRing], 0, 0, n * kBytes);  // 0, 0: the whole picture
    start(edge, tensors, n * kBytes, kBytes, (kFrames + n) * kBytes);
  }
  pollfd last = {fence_of(events.size() - 1), POLLIN, 0};
  poll(&last, 1, -1), close(last.fd);
  for (const auto& event : events) check(ANeuralNetworksEvent_wait(event.get()));

  int wrong = 0;
  std::vector<float> result(kPixels);
  for (int i = 0; i < kFrames * kPixels; ++i) {
    const int n = i / kPixels, pixel = i % kPixels;
    const float *blurred = buffers.blurred[n], *edges = buffers.edges[n];
    const auto scene = [&](int x, int y) { return static_cast<float>(luma(n, x, y) - 16) / 219; };
    wrong += !(std::abs(blurred[pixel] - filtered(kBlur, pixel, scene)) < 1e-3f);
    wrong += !(std::abs(edges[pixel] - filtered(kEdges, pixel, [&](int x, int y) { return blurred[y * kWidth + x]; })) < 1e-3f);
    result[pixel] = std::fmax(result[pixel], blurred[pixel] / 2 + edges[pixel]);
  }
  std::printf("%d of %d pixels are wrong\n", wrong, 2 * kFrames * kPixels);
  std::ofstream file(argc > 1 ? argv[1] : "camera.pgm", std::ios::binary);
  file << "P5 " << kWidth << ' ' << kHeight << " 255\n";
  for (const float grey : result) file << static_cast<uint8_t>(std::fmin(grey, 1.0f) * 255);
  return wrong == 0 && file.flush() ? 0 : 1;
}
