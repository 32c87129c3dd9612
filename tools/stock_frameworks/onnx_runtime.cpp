#include "tools/stock_frameworks/onnx_runtime.h"

#include <dlfcn.h>

#include <utility>

namespace nnvk::stock {
namespace {

constexpr const char* kRegistration = "nnvk";
constexpr uint32_t kApiVersion = 23;

struct Values {
  explicit Values(const OrtApi& used) : api(used) {}
  ~Values() {
    for (OrtValue* const value : all) api.ReleaseValue(value);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  const OrtApi& api;
  std::vector<OrtValue*> all;
};

}  // namespace

StockRuntime::StockRuntime(const std::string& library) {
  library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw RuntimeError(::dlerror());
  const auto get_base = reinterpret_cast<const OrtApiBase* (*)()>(::dlsym(library_, "OrtGetApiBase"));
  if (get_base == nullptr) throw RuntimeError("no OrtGetApiBase in " + library);
  version_ = get_base()->GetVersionString();
  api_ = get_base()->GetApi(kApiVersion);
  if (api_ == nullptr)
    throw RuntimeError("ONNX Runtime " + version_ + " is too old; version 1." + std::to_string(kApiVersion) +
                       " or later is needed");
  const auto collect = [](void* self, OrtLoggingLevel, const char*, const char*, const char*, const char* text) {
    auto& runtime = *static_cast<StockRuntime*>(self);
    const std::lock_guard lock(runtime.mutex_);
    runtime.log_ += std::string(text) + "\n";
  };
  check(api_->CreateEnvWithCustomLogger(collect, this, ORT_LOGGING_LEVEL_WARNING, "nnvk", &environment_));
}

StockRuntime::~StockRuntime() {
  if (environment_ != nullptr) api_->ReleaseEnv(environment_);
}

void StockRuntime::check(OrtStatus* status) const {
  if (status == nullptr) return;
  const std::string text = api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  throw RuntimeError(text);
}

void StockRuntime::register_provider(const std::string& path) {
  check(api_->RegisterExecutionProviderLibrary(environment_, kRegistration, path.c_str()));
}

void StockRuntime::unregister_provider() { check(api_->UnregisterExecutionProviderLibrary(environment_, kRegistration)); }

std::vector<const OrtEpDevice*> StockRuntime::devices() const {
  const OrtEpDevice* const* all = nullptr;
  size_t count = 0;
  check(api_->GetEpDevices(environment_, &all, &count));
  std::vector<const OrtEpDevice*> own;
  for (size_t i = 0; i < count; ++i) {
    if (std::string(api_->EpDevice_EpName(all[i])) == "nnvk") own.push_back(all[i]);
  }
  return own;
}

std::vector<std::string> StockRuntime::device_names() const {
  std::vector<std::string> names;
  for (const OrtEpDevice* const device : devices()) {
    names.emplace_back(api_->GetKeyValue(api_->EpDevice_EpMetadata(device), "nnvk_device"));
  }
  return names;
}

StockRuntime::SessionOptions StockRuntime::session_options(const ProviderOptions* options, int threads,
                                                           const ProviderOptions& settings) const {
  OrtSessionOptions* made = nullptr;
  check(api_->CreateSessionOptions(&made));
  SessionOptions session_options(made, api_->ReleaseSessionOptions);
  check(api_->SetIntraOpNumThreads(made, threads));
  for (const auto& [key, value] : settings) check(api_->AddSessionConfigEntry(made, key.c_str(), value.c_str()));
  if (options != nullptr) {
    const auto own = devices();
    if (own.empty()) throw RuntimeError("the runtime offers no device of nnvk");
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : *options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    check(api_->SessionOptionsAppendExecutionProvider_V2(made, environment_, own.data(), 1, keys.data(), values.data(),
                                                         keys.size()));
  }
  return session_options;
}

std::unique_ptr<Session> StockRuntime::session(const std::string& model, const ProviderOptions* options, int threads,
                                               const ProviderOptions& settings) const {
  OrtSession* session = nullptr;
  check(api_->CreateSessionFromArray(environment_, model.data(), model.size(), session_options(options, threads, settings).get(),
                                     &session));
  return std::make_unique<Session>(*this, session);
}

std::unique_ptr<Session> StockRuntime::session_of_file(const std::string& path, const ProviderOptions* options,
                                                       int threads) const {
  OrtSession* session = nullptr;
  check(api_->CreateSession(environment_, path.c_str(), session_options(options, threads, {}).get(), &session));
  return std::make_unique<Session>(*this, session);
}

std::string StockRuntime::take_log() {
  const std::lock_guard lock(mutex_);
  return std::exchange(log_, {});
}

Session::~Session() { runtime_.api().ReleaseSession(session_); }

size_t Session::output_count() const {
  size_t count = 0;
  runtime_.check(runtime_.api().SessionGetOutputCount(session_, &count));
  return count;
}

std::string Session::output_name(size_t index) const {
  OrtAllocator* allocator = nullptr;
  runtime_.check(runtime_.api().GetAllocatorWithDefaultOptions(&allocator));
  char* text = nullptr;
  runtime_.check(runtime_.api().SessionGetOutputName(session_, index, allocator, &text));
  std::string name = text;
  allocator->Free(allocator, text);
  return name;
}

std::vector<Tensor> Session::run(const NamedTensors& inputs) const {
  const OrtApi& api = runtime_.api();
  OrtMemoryInfo* memory = nullptr;
  runtime_.check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  const std::unique_ptr<OrtMemoryInfo, void (*)(OrtMemoryInfo*)> memory_owner(memory, api.ReleaseMemoryInfo);
  Values given(api);
  std::vector<const char*> input_names;
  for (const auto& [name, tensor] : inputs) {
    OrtValue* value = nullptr;
    runtime_.check(api.CreateTensorWithDataAsOrtValue(memory, const_cast<std::byte*>(tensor.bytes.data()), tensor.bytes.size(),
                                                      tensor.shape.data(), tensor.shape.size(), tensor.type, &value));
    given.all.push_back(value);
    input_names.push_back(name.c_str());
  }
  std::vector<std::string> names;
  std::vector<const char*> output_names;
  for (size_t i = 0; i < output_count(); ++i) names.push_back(output_name(i));
  for (const std::string& name : names) output_names.push_back(name.c_str());
  Values results(api);
  results.all.resize(names.size(), nullptr);
  runtime_.check(api.Run(session_, nullptr, input_names.data(), given.all.data(), given.all.size(), output_names.data(),
                         output_names.size(), results.all.data()));
  std::vector<Tensor> outputs;
  for (const OrtValue* const value : results.all) {
    Tensor& tensor = outputs.emplace_back();
    OrtTensorTypeAndShapeInfo* info = nullptr;
    runtime_.check(api.GetTensorTypeAndShape(value, &info));
    const std::unique_ptr<OrtTensorTypeAndShapeInfo, void (*)(OrtTensorTypeAndShapeInfo*)> info_owner(
        info, api.ReleaseTensorTypeAndShapeInfo);
    runtime_.check(api.GetTensorElementType(info, &tensor.type));
    size_t rank = 0;
    runtime_.check(api.GetDimensionsCount(info, &rank));
    tensor.shape.resize(rank);
    runtime_.check(api.GetDimensions(info, tensor.shape.data(), rank));
    size_t size = 0;
    runtime_.check(api.GetTensorSizeInBytes(value, &size));
    const void* data = nullptr;
    if (size > 0) runtime_.check(api.GetTensorData(value, &data));
    const auto* const begin = static_cast<const std::byte*>(data);
    if (size > 0) tensor.bytes.assign(begin, begin + size);
  }
  return outputs;
}

BoundRun::BoundRun(const StockRuntime& runtime, const Session& session, const NamedTensors& inputs)
    : runtime_(runtime), session_(session) {
  const OrtApi& api = runtime.api();
  OrtMemoryInfo* memory = nullptr;
  runtime.check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  for (const auto& [name, tensor] : inputs) {
    input_names_.push_back(name.c_str());
    OrtValue* value = nullptr;
    runtime.check(api.CreateTensorWithDataAsOrtValue(memory, const_cast<std::byte*>(tensor.bytes.data()), tensor.bytes.size(),
                                                     tensor.shape.data(), tensor.shape.size(), tensor.type, &value));
    inputs_.push_back(value);
  }
  api.ReleaseMemoryInfo(memory);
  for (size_t i = 0; i < session.output_count(); ++i) names_.push_back(session.output_name(i));
  for (const std::string& name : names_) output_names_.push_back(name.c_str());
}

BoundRun::~BoundRun() {
  for (OrtValue* const value : inputs_) runtime_.api().ReleaseValue(value);
}

void BoundRun::operator()() const {
  const OrtApi& api = runtime_.api();
  std::vector<OrtValue*> results(names_.size(), nullptr);
  runtime_.check(api.Run(session_.get(), nullptr, input_names_.data(), inputs_.data(), inputs_.size(), output_names_.data(),
                         output_names_.size(), results.data()));
  for (OrtValue* const value : results) api.ReleaseValue(value);
}

}  // namespace nnvk::stock
