// The devices that clients have imported (nnvk/vulkan_interop.h), and the objects that still use them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/imported_device.h"

namespace nnvk::api {

// An imported device, and the number of objects of each kind that need it. It is thread-safe.
class Imported {
 public:
  enum Kind : uint8_t { kCompilation, kExecution, kMemory, kDescriptor, kRecording, kCall, kKinds };

  explicit Imported(std::unique_ptr<vulkan::ImportedDevice> imported) : device_(std::move(imported)) {}

  // Returns the device; null after release().
  vulkan::ImportedDevice* device() const { return device_.get(); }
  // Returns the objects that their client has not freed, as text: "2 compilations and 1 memory"; empty if there are none.
  std::string open_text() const;
  // Waits for objects that still run although the client freed them, then destroys the device.
  void release();

 private:
  friend class DeviceUse;
  void open(Kind kind);
  void close(Kind kind);
  void forget();

  std::unique_ptr<vulkan::ImportedDevice> device_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int open_[kKinds] = {};
  int existing_ = 0;
};

// One object's use of one imported device.
class DeviceUse {
 public:
  DeviceUse(std::shared_ptr<Imported> imported, Imported::Kind kind) : imported_(std::move(imported)), kind_(kind) {
    imported_->open(kind_);
  }
  DeviceUse(DeviceUse&& other) noexcept
      : imported_(std::exchange(other.imported_, nullptr)), kind_(other.kind_), is_open_(other.is_open_) {}
  DeviceUse& operator=(DeviceUse&&) = delete;
  ~DeviceUse() {
    if (imported_ == nullptr) return;
    close();
    imported_->forget();
  }
  // Ends the use. Call it when the client has freed the object, which stays in memory as long as it runs or other objects keep
  // it.
  void close() {
    if (std::exchange(is_open_, false)) imported_->close(kind_);
  }
  const std::shared_ptr<Imported>& imported() const { return imported_; }

 private:
  std::shared_ptr<Imported> imported_;
  Imported::Kind kind_;
  bool is_open_ = true;
};
using DeviceUses = std::vector<DeviceUse>;

// Makes uses of the same devices for an object of another kind.
DeviceUses uses_as(const DeviceUses& uses, Imported::Kind kind);

}  // namespace nnvk::api
