// The delegate that TensorFlow Lite calls: takes partitions of an interpreter's graph.
#pragma once

#include <tensorflow/lite/c/common.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "clients/device_choice.h"

namespace nnvk::clients::tflite {

using Setting = std::pair<std::string, std::string>;

// A delegate of TensorFlow Lite. It serves any number of interpreters, also from several threads at once, and must outlive them.
class Delegate {
 public:
  // Makes a delegate. `settings`: names and values of options. An unknown one, or a device that does not exist, is an error that
  // names it.
  static Result<std::unique_ptr<Delegate>> make(std::span<const Setting> settings);

  // Returns the struct that TensorFlow Lite gets. It belongs to this object.
  TfLiteDelegate* interface() { return &interface_; }
  // Returns the object behind the struct that interface() gives.
  static Delegate& of(const TfLiteDelegate& interface) { return *static_cast<Delegate*>(interface.data_); }

  // Takes what nnvk can compute of the context's graph. Leaves the rest with the interpreter.
  Status prepare(TfLiteContext& context);

  const PluginOptions& options() const { return options_; }
  const DeviceChoice& devices() const { return devices_; }

 private:
  Delegate(PluginOptions options, DeviceChoice devices);

  const PluginOptions options_;
  const DeviceChoice devices_;
  TfLiteDelegate interface_;
};

}  // namespace nnvk::clients::tflite
