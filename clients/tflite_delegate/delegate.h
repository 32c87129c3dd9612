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

// Serves any number of interpreters, also from several threads at once. It must outlive them.
class Delegate {
 public:
  // `settings`: names and values of options. An unknown one, or a device that does not exist, is an error that names it.
  static Result<std::unique_ptr<Delegate>> make(std::span<const Setting> settings);

  // The struct that TensorFlow Lite gets. It belongs to this object.
  TfLiteDelegate* interface() { return &interface_; }
  // The object behind such a struct.
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
