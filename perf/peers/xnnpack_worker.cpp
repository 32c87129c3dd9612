// Builds a float network from XNNPACK's operators, after the list of numbers of xnnpack_network.py, and times executions. Usage:
// xnnpack_worker NETWORK INPUT THREADS RUNS OUTPUT. Prints {"seconds": [...]} and writes the output's values to OUTPUT.
#include <pthreadpool.h>
#include <xnnpack.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(1);
}

void check(xnn_status status, const char* what) {
  if (status != xnn_status_success) fail(std::string(what) + ": status " + std::to_string(status));
}

std::vector<char> file_bytes(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Reads the numbers of xnnpack_network.py, in its order.
class Numbers {
 public:
  explicit Numbers(std::vector<char> bytes) : bytes_(std::move(bytes)) {}
  template <class Value = int32_t>
  Value next() {
    Value value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::vector<float> floats() {
    std::vector<float> values(static_cast<size_t>(next()));
    std::memcpy(values.data(), take(values.size() * sizeof(float)), values.size() * sizeof(float));
    return values;
  }

 private:
  const char* take(size_t size) {
    if (size > bytes_.size() - at_) fail("the network ends too early");
    at_ += size;
    return bytes_.data() + at_ - size;
  }
  std::vector<char> bytes_;
  size_t at_ = 0;
};

enum Kind : int32_t { kConvolution, kAddition, kAverage, kMaximum, kSoftmax, kSameData };

struct Picture {
  size_t height, width, channels;
};

Picture picture(Numbers& numbers) {
  const auto height = static_cast<size_t>(numbers.next());
  const auto width = static_cast<size_t>(numbers.next());
  return {height, width, static_cast<size_t>(numbers.next())};
}

class Network {
 public:
  Network(Numbers numbers, pthreadpool_t threads) : threads_(threads) {
    tensors_.resize(static_cast<size_t>(numbers.next()));
    input_ = static_cast<size_t>(numbers.next());
    output_ = static_cast<size_t>(numbers.next());
    const int32_t operators = numbers.next();
    // XNNPACK may read some bytes beyond the end.
    for (auto& tensor : tensors_) tensor.resize(static_cast<size_t>(numbers.next()) + XNN_EXTRA_BYTES / sizeof(float));
    for (int32_t i = 0; i < operators; ++i) add(numbers);
  }

  std::vector<float>& input() { return tensors_[input_]; }
  std::vector<float>& output() { return tensors_[output_]; }
  void run() const {
    for (const Step& step : steps_) {
      if (step.op == nullptr) {
        std::memcpy(step.to, step.from, step.bytes);
      } else {
        check(xnn_run_operator(step.op, threads_), "running an operator");
      }
    }
  }

 private:
  struct Step {
    xnn_operator_t op = nullptr;  // null: a copy
    const float* from = nullptr;
    float* to = nullptr;
    size_t bytes = 0;
  };

  void add(Numbers& numbers) {
    const int32_t kind = numbers.next();
    const float* const x = tensors_.at(static_cast<size_t>(numbers.next())).data();
    float* const y = tensors_.at(static_cast<size_t>(numbers.next())).data();
    const Picture in = picture(numbers);
    const Picture out = picture(numbers);
    const auto low = numbers.next<float>();
    const auto high = numbers.next<float>();
    xnn_operator_t op = nullptr;
    switch (kind) {
      case kConvolution: {
        uint32_t sizes[8];
        for (uint32_t& size : sizes) size = static_cast<uint32_t>(numbers.next());
        const auto [kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width, groups,
                    depthwise] = sizes;
        const bool same = numbers.next() != 0;
        const std::vector<float> kernel = numbers.floats();
        const std::vector<float> bias = numbers.floats();
        const uint32_t flags = (same ? XNN_FLAG_TENSORFLOW_SAME_PADDING : 0) | (depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0);
        check(xnn_create_convolution2d_nhwc_f32(0, 0, 0, 0, kernel_height, kernel_width, stride_height, stride_width,
                                                dilation_height, dilation_width, groups, in.channels / groups,
                                                out.channels / groups, in.channels, out.channels, kernel.data(), bias.data(), low,
                                                high, flags, &op),
              "creating a convolution");
        check(xnn_setup_convolution2d_nhwc_f32(op, 1, in.height, in.width, x, y, threads_), "preparing a convolution");
        break;
      }
      case kAddition: {
        const float* const other = tensors_.at(static_cast<size_t>(numbers.next())).data();
        const size_t shape[] = {in.height, in.width, in.channels};
        check(xnn_create_add_nd_f32(low, high, 0, &op), "creating an addition");
        check(xnn_setup_add_nd_f32(op, 3, shape, 3, shape, x, other, y, threads_), "preparing an addition");
        break;
      }
      case kAverage:
        check(xnn_create_global_average_pooling_nwc_f32(in.channels, in.channels, in.channels, low, high, 0, &op),
              "creating an average");
        check(xnn_setup_global_average_pooling_nwc_f32(op, 1, in.height * in.width, x, y, threads_), "preparing an average");
        break;
      case kMaximum: {
        uint32_t sizes[4];
        for (uint32_t& size : sizes) size = static_cast<uint32_t>(numbers.next());
        const uint32_t flags = numbers.next() != 0 ? XNN_FLAG_TENSORFLOW_SAME_PADDING : 0;
        check(xnn_create_max_pooling2d_nhwc_f32(0, 0, 0, 0, sizes[0], sizes[1], sizes[2], sizes[3], 1, 1, in.channels,
                                                in.channels, in.channels, low, high, flags, &op),
              "creating a maximum");
        check(xnn_setup_max_pooling2d_nhwc_f32(op, 1, in.height, in.width, x, y, threads_), "preparing a maximum");
        break;
      }
      case kSoftmax:
        check(xnn_create_softmax_nc_f32(in.channels, in.channels, in.channels, 0, &op), "creating a softmax");
        check(xnn_setup_softmax_nc_f32(op, in.height * in.width, x, y, threads_), "preparing a softmax");
        break;
      case kSameData:
        steps_.push_back({nullptr, x, y, in.height * in.width * in.channels * sizeof(float)});
        return;
      default:
        fail("unknown operator " + std::to_string(kind));
    }
    steps_.push_back({op, nullptr, nullptr, 0});
  }

  pthreadpool_t threads_;
  std::vector<std::vector<float>> tensors_;
  size_t input_ = 0;
  size_t output_ = 0;
  std::vector<Step> steps_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) fail("usage: xnnpack_worker NETWORK INPUT THREADS RUNS OUTPUT");
  check(xnn_initialize(nullptr), "starting XNNPACK");
  const int threads = std::atoi(arguments[3]);
  const int runs = std::atoi(arguments[4]);
  Network network(Numbers(file_bytes(arguments[1])), threads > 1 ? pthreadpool_create(static_cast<size_t>(threads)) : nullptr);
  const std::vector<char> input = file_bytes(arguments[2]);
  if (input.size() + XNN_EXTRA_BYTES / sizeof(float) * sizeof(float) != network.input().size() * sizeof(float)) {
    fail("the input's size is wrong");
  }
  std::memcpy(network.input().data(), input.data(), input.size());
  const int warm_up = runs / 5 > 3 ? runs / 5 : 3;
  std::printf("{\"seconds\": [");
  for (int i = 0; i < warm_up + runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    network.run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i >= warm_up) std::printf("%s%.9f", i == warm_up ? "" : ", ", seconds);
  }
  std::printf("]}\n");
  const size_t values = network.output().size() - XNN_EXTRA_BYTES / sizeof(float);
  std::ofstream(arguments[5], std::ios::binary)
      .write(reinterpret_cast<const char*>(network.output().data()), static_cast<std::streamsize>(values * sizeof(float)));
  return 0;
}
