// A camera that delivers JPEG pictures (MJPEG), as most USB cameras do at high resolutions. The program decodes each frame to its
// planes Y, Cb and Cr in shared memory, by libturbojpeg. The device crops, resizes and converts the colours while it reads them.
// The network is the identity, so that the program can compare its input with the scene.
//
//   c++ -std=c++20 mjpeg.cpp $(pkg-config --cflags --libs nnvk) -lturbojpeg -o mjpeg && ./mjpeg
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <nnvk/picture.h>
#include <sys/mman.h>
#include <turbojpeg.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

constexpr int kWidth = 320, kHeight = 240, kSide = 48, kFrames = 5;

void check(int code) {
  if (code != ANEURALNETWORKS_NO_ERROR) std::fprintf(stderr, "%s\n", nnvk_lastError()), std::exit(1);
}

void check_jpeg(tjhandle codec, int result) {
  if (result != 0) std::fprintf(stderr, "%s\n", tjGetErrorStr2(codec)), std::exit(1);
}

// Returns the object that `create` makes. It is freed when nothing holds it any more.
template <class T>
std::shared_ptr<T> make(void (*free)(T*), auto create, auto... inputs) {
  T* object = nullptr;
  check(create(inputs..., &object));
  return {object, free};
}

// The scene, from 0 to 255: smooth colours, which JPEG keeps well.
int scene(int frame, int x, int y, int channel) {
  const float waves[3] = {x * 0.02f + frame, y * 0.03f - frame, (x + y) * 0.01f};
  return static_cast<int>(127.5f + 100 * std::sin(waves[channel]));
}

// Stands for the camera: returns a frame as JPEG, with one chroma sample per two by two pixels.
std::vector<unsigned char> capture(int frame) {
  std::vector<unsigned char> pixels, jpeg(tjBufSize(kWidth, kHeight, TJSAMP_420));
  for (int i = 0; i < kWidth * kHeight * 3; ++i) pixels.push_back(scene(frame, i / 3 % kWidth, i / 3 / kWidth, i % 3));
  const tjhandle encoder = tjInitCompress();
  unsigned long size = jpeg.size();
  unsigned char* bytes = jpeg.data();
  check_jpeg(encoder,
             tjCompress2(encoder, pixels.data(), kWidth, 0, kHeight, TJPF_RGB, &bytes, &size, TJSAMP_420, 95, TJFLAG_NOREALLOC));
  tjDestroy(encoder);
  jpeg.resize(size);
  return jpeg;
}

// y = relu(x) over an RGB picture from 0 to 1, in which RELU changes nothing.
auto make_network() {
  const uint32_t shape[4] = {1, kSide, kSide, 3}, input = 0, output = 1;
  const ANeuralNetworksOperandType picture = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, shape, 0, 0};
  const auto model = make(ANeuralNetworksModel_free, ANeuralNetworksModel_create);
  for (int i = 0; i < 2; ++i) check(ANeuralNetworksModel_addOperand(model.get(), &picture));
  check(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_RELU, 1, &input, 1, &output));
  check(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, &input, 1, &output));
  check(ANeuralNetworksModel_finish(model.get()));
  const auto compilation = make(ANeuralNetworksCompilation_free, ANeuralNetworksCompilation_create, model.get());
  check(ANeuralNetworksCompilation_finish(compilation.get()));
  return std::pair(model, compilation);
}

int main() {
  // The planes of I420, one after the other: JPEG's own order.
  constexpr size_t kLuma = kWidth * kHeight, kChroma = kLuma / 4;
  const int fd = memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (ftruncate(fd, kLuma + 2 * kChroma) != 0) return 1;
  void* const mapped = mmap(nullptr, kLuma + 2 * kChroma, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return 1;
  unsigned char* const luma = static_cast<unsigned char*>(mapped);
  unsigned char* planes[3] = {luma, luma + kLuma, luma + kLuma + kChroma};
  nnvk_FrameLayout layout = {sizeof(layout), kWidth, kHeight, NNVK_FRAME_YUV420, 0, 0, NNVK_FRAME_SEAL, 3, {}};
  layout.planes[0] = {0, 0, kWidth}, layout.planes[1] = {0, kLuma, kWidth / 2};
  layout.planes[2] = {0, kLuma + kChroma, kWidth / 2};
  const auto picture = make(ANeuralNetworksMemory_free, nnvk_Memory_createFromFds, &layout, &fd, 1);

  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  conversion.colourRange = NNVK_PICTURE_FULL_RANGE;  // JFIF: BT.601 of the full range
  conversion.filter = NNVK_PICTURE_AREA;
  conversion.cropLeft = (kWidth - kHeight) / 2;  // the square in the middle
  conversion.cropWidth = conversion.cropHeight = kHeight;
  const auto [model, compilation] = make_network();
  const tjhandle decoder = tjInitDecompress();
  int wrong = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    const std::vector<unsigned char> jpeg = capture(frame);
    int width = 0, height = 0, subsampling = 0, colours = 0;
    check_jpeg(decoder, tjDecompressHeader3(decoder, jpeg.data(), jpeg.size(), &width, &height, &subsampling, &colours));
    if (width != kWidth || height != kHeight || subsampling != TJSAMP_420) return 1;  // a camera keeps its format
    check_jpeg(decoder, tjDecompressToYUVPlanes(decoder, jpeg.data(), jpeg.size(), planes, width, nullptr, height, 0));

    std::vector<float> seen(kSide * kSide * 3);
    const auto run = make(ANeuralNetworksExecution_free, ANeuralNetworksExecution_create, compilation.get());
    check(nnvk_Execution_setInputPicture(run.get(), 0, &conversion));
    check(ANeuralNetworksExecution_setInputFromMemory(run.get(), 0, nullptr, picture.get(), 0, 0));  // the whole picture
    check(ANeuralNetworksExecution_setOutput(run.get(), 0, nullptr, seen.data(), seen.size() * sizeof(float)));
    check(ANeuralNetworksExecution_compute(run.get()));
    for (int i = 0; i < static_cast<int>(seen.size()); ++i) {  // an element is the mean of five by five pixels
      float mean = 0;
      for (int k = 0; k < 25; ++k) {
        const int x = static_cast<int>(conversion.cropLeft) + i / 3 % kSide * 5 + k % 5, y = i / 3 / kSide * 5 + k / 5;
        mean += scene(frame, x, y, i % 3) / (25 * 255.0f);
      }
      wrong += !(std::abs(seen[i] - mean) < 0.02f);
    }
  }
  tjDestroy(decoder);
  std::printf("%d of %d elements are wrong\n", wrong, kFrames * kSide * kSide * 3);
  return wrong == 0 ? 0 : 1;
}
