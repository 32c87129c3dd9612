#include "api/imported_device.h"

namespace nnvk::api {

std::string Imported::open_text() const {
  static constexpr const char* kNames[kKinds][2] = {
      {"compilation", "compilations"}, {"execution", "executions"},
      {"memory", "memories"},          {"memory descriptor", "memory descriptors"},
      {"recording", "recordings"},     {"call of another thread", "calls of other threads"}};
  const std::lock_guard lock(mutex_);
  std::string text;
  for (int kind = 0; kind < kKinds; ++kind) {
    const int count = open_[kind];
    if (count == 0) continue;
    text += (text.empty() ? "" : " and ") + std::to_string(count) + " " + kNames[kind][count == 1 ? 0 : 1];
  }
  return text;
}

void Imported::release() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return existing_ == 0; });
  }
  device_.reset();
}

void Imported::open(Kind kind) {
  const std::lock_guard lock(mutex_);
  ++open_[kind];
  ++existing_;
}

void Imported::close(Kind kind) {
  const std::lock_guard lock(mutex_);
  --open_[kind];
}

void Imported::forget() {
  const std::lock_guard lock(mutex_);
  --existing_;
  changed_.notify_all();
}

DeviceUses uses_as(const DeviceUses& uses, Imported::Kind kind) {
  DeviceUses made;
  for (const DeviceUse& use : uses) made.emplace_back(use.imported(), kind);
  return made;
}

}  // namespace nnvk::api
