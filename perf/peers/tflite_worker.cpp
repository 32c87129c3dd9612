// Runs a .tflite file in stock TensorFlow Lite with its own XNNPACK, and times executions. Usage: tflite_worker LIBRARY MODEL
// THREADS RUNS OUTPUT INPUT... Prints {"version": ..., "nodes": all, "on_xnnpack": those that XNNPACK took, "seconds": [...]} and
// writes the values of each output to OUTPUT.0, OUTPUT.1, ...
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/stock_frameworks/tensorflow_lite.h"

namespace {

using nnvk::stock::Bytes;
using nnvk::stock::Interpreter;
using nnvk::stock::RuntimeError;
using nnvk::stock::TensorFlowLite;

Bytes file_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw RuntimeError("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The options of TensorFlow Lite's XNNPACK delegate. Newer versions have more members; all zeros are their defaults.
struct XnnpackOptions {
  int32_t threads = 0;
  uint32_t flags = 0;
  const void* newer[16] = {};
};
constexpr uint32_t kSigned8Bit = 1;
constexpr uint32_t kUnsigned8Bit = 2;

// TensorFlow Lite's XNNPACK delegate, which counts the nodes that it takes. The delegate has C functions for callbacks, so the
// counts are static.
class Xnnpack {
 public:
  // `library` must be loaded already.
  Xnnpack(const char* library, int threads, uint32_t flags) {
    void* const handle = ::dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    const auto create =
        reinterpret_cast<TfLiteDelegate* (*)(const XnnpackOptions*)>(::dlsym(handle, "TfLiteXNNPackDelegateCreate"));
    destroy_ = reinterpret_cast<void (*)(TfLiteDelegate*)>(::dlsym(handle, "TfLiteXNNPackDelegateDelete"));
    if (create == nullptr || destroy_ == nullptr) throw RuntimeError(std::string(library) + " was built without XNNPACK");
    const XnnpackOptions options{.threads = threads, .flags = flags};
    delegate_ = create(&options);
    if (delegate_ == nullptr) throw RuntimeError("XNNPACK does not start");
    prepare_ = std::exchange(delegate_->Prepare, &Xnnpack::prepare);
  }
  ~Xnnpack() { destroy_(delegate_); }
  Xnnpack(const Xnnpack&) = delete;
  Xnnpack& operator=(const Xnnpack&) = delete;

  TfLiteDelegate* get() const { return delegate_; }
  static int nodes() { return nodes_; }
  static int taken() { return taken_; }

 private:
  static TfLiteStatus prepare(TfLiteContext* context, TfLiteDelegate* delegate) {
    TfLiteIntArray* plan = nullptr;
    if (context->GetExecutionPlan(context, &plan) == kTfLiteOk) nodes_ = plan->size;
    taken_ = 0;
    replace_ = std::exchange(context->ReplaceNodeSubsetsWithDelegateKernels, &Xnnpack::replace);
    const TfLiteStatus status = prepare_(context, delegate);
    context->ReplaceNodeSubsetsWithDelegateKernels = replace_;
    return status;
  }
  static TfLiteStatus replace(TfLiteContext* context, TfLiteRegistration kernel, const TfLiteIntArray* nodes,
                              TfLiteDelegate* delegate) {
    taken_ += nodes->size;
    return replace_(context, kernel, nodes, delegate);
  }

  static inline decltype(TfLiteDelegate::Prepare) prepare_ = nullptr;
  static inline decltype(TfLiteContext::ReplaceNodeSubsetsWithDelegateKernels) replace_ = nullptr;
  static inline int nodes_ = 0;
  static inline int taken_ = 0;
  TfLiteDelegate* delegate_ = nullptr;
  void (*destroy_)(TfLiteDelegate*) = nullptr;
};

// An interpreter with XNNPACK in front.
struct Session {
  std::unique_ptr<Xnnpack> xnnpack;
  std::unique_ptr<Interpreter> interpreter;
};

void check(bool good, const Interpreter& interpreter, const char* what) {
  if (!good) throw RuntimeError(std::string(what) + " failed: " + interpreter.errors());
}

// XNNPACK refuses some 8-bit networks after it has taken their nodes. Then TensorFlow Lite's own kernels run operators of those
// types.
Session session_of(const TensorFlowLite& lite, const char* library, const Bytes& model, int threads) {
  Session session;
  for (const uint32_t flags : {kSigned8Bit | kUnsigned8Bit, kSigned8Bit, 0U}) {
    session.interpreter.reset();  // before its delegate
    session.xnnpack = std::make_unique<Xnnpack>(library, threads, flags);
    session.interpreter = std::make_unique<Interpreter>(lite, model, session.xnnpack->get(), threads);
    if (session.interpreter->made()) return session;
  }
  check(false, *session.interpreter, "making the interpreter");
  return session;
}

void run(int count, char** arguments) {
  const TensorFlowLite lite = TensorFlowLite::load(arguments[1]);
  const Bytes model = file_bytes(arguments[2]);
  const int threads = std::atoi(arguments[3]);
  const int runs = std::atoi(arguments[4]);
  const Session session = session_of(lite, arguments[1], model, threads);
  Interpreter& interpreter = *session.interpreter;
  check(interpreter.allocate(), interpreter, "allocating tensors");
  if (interpreter.inputs() != count - 6) throw RuntimeError("it has " + std::to_string(interpreter.inputs()) + " inputs");
  for (int i = 0; i < interpreter.inputs(); ++i) {
    const Bytes values = file_bytes(arguments[6 + i]);
    TfLiteTensor& input = interpreter.input(i);
    if (values.size() != input.bytes) throw RuntimeError(std::string(arguments[6 + i]) + " has the wrong size");
    std::memcpy(input.data.raw, values.data(), values.size());
  }
  std::printf("{\"version\": \"%s\", \"nodes\": %d, \"on_xnnpack\": %d, \"seconds\": [", lite.version(), Xnnpack::nodes(),
              Xnnpack::taken());
  const int warm_up = runs / 5 > 3 ? runs / 5 : 3;
  for (int i = 0; i < warm_up + runs; ++i) {
    check(interpreter.reset_variables(), interpreter, "setting states to zero");
    const auto start = std::chrono::steady_clock::now();
    const bool good = interpreter.invoke();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    check(good, interpreter, "an execution");
    if (i >= warm_up) std::printf("%s%.9f", i == warm_up ? "" : ", ", seconds);
  }
  std::printf("]}\n");
  for (int i = 0; i < interpreter.outputs(); ++i) {
    const TfLiteTensor& output = interpreter.output(i);
    std::ofstream(std::string(arguments[5]) + "." + std::to_string(i), std::ios::binary)
        .write(output.data.raw, static_cast<std::streamsize>(output.bytes));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 7) {
    std::fputs("error: usage: tflite_worker LIBRARY MODEL THREADS RUNS OUTPUT INPUT...\n", stderr);
    return 2;
  }
  try {
    run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
