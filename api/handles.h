// The opaque handles of the C API: thin owners of core objects.
#pragma once

// All public headers: the entry points are the only symbols with default visibility; the version script lists them.
#pragma GCC visibility push(default)
#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <nnvk/constants.h>
#include <nnvk/devices.h>
#include <nnvk/diagnostics.h>
#include <nnvk/kernels.h>
#include <nnvk/picture.h>
#include <nnvk/shapes.h>
#include <nnvk/vulkan_interop.h>
#pragma GCC visibility pop

#include <memory>
#include <vector>

#include "api/handle_life.h"
#include "api/imported_device.h"
#include "core/model/model.h"
#include "core/runtime/compilation.h"
#include "core/runtime/event.h"
#include "core/runtime/execution.h"
#include "core/runtime/memory.h"
#include "core/runtime/memory_descriptor.h"

struct ANeuralNetworksDevice {
  nnvk::Device* device;
  std::shared_ptr<nnvk::api::Imported> imported = nullptr;  // null: the library found it itself
};

// Members that an object needs precede it, so they outlive it. handle_life.h explains `life`.
struct ANeuralNetworksMemory {
  nnvk::api::DeviceUses uses;  // imported devices
  std::unique_ptr<nnvk::Memory> memory;
  nnvk::api::HandleLife life{this};
};

struct ANeuralNetworksModel {
  std::vector<nnvk::api::Kept<ANeuralNetworksMemory>> memories;  // of constants
  std::vector<nnvk::api::Kept<ANeuralNetworksModel>> models;     // of control flow
  nnvk::Model model;
  nnvk::api::HandleLife life{this};
};

struct ANeuralNetworksCompilation {
  // Counts the compilation in Instance::live_compilations() and keeps the library loaded: threads may run the compilation's plan.
  struct Counted {
    Counted();
    ~Counted();
  } counted;
  nnvk::api::DeviceUses uses;  // imported devices
  nnvk::api::Kept<ANeuralNetworksModel> model;
  nnvk::Compilation compilation;
  // Lets the client also free the model that the compilation keeps. It is called when the client has freed the compilation.
  void on_free() { model.allow_free(); }
  nnvk::api::HandleLife life{this};
};

struct ANeuralNetworksExecution {
  ANeuralNetworksExecution(nnvk::api::DeviceUses imported, nnvk::api::Kept<ANeuralNetworksCompilation> of,
                           std::shared_ptr<nnvk::Execution> core)
      : uses(std::move(imported)), compilation(std::move(of)), execution(std::move(core)) {}
  nnvk::api::DeviceUses uses;  // imported devices
  nnvk::api::Kept<ANeuralNetworksCompilation> compilation;
  std::vector<nnvk::api::Kept<ANeuralNetworksMemory>> memories;  // of inputs and outputs
  std::shared_ptr<nnvk::Execution> execution;
  void on_free() { compilation.allow_free(); }
  // A running computation uses the execution to its end; a task that ANeuralNetworksExecution_create has set destroys it then.
  void dispose() const {
    const std::shared_ptr<nnvk::Execution> core = execution;
    core->end_when_idle();
  }
  nnvk::api::HandleLife life{this};
};

// A burst keeps no other object, so clients that never free it leak only a few bytes.
struct ANeuralNetworksBurst {
  nnvk::Burst burst;
  nnvk::api::HandleLife life{this};
};

struct ANeuralNetworksEvent {
  std::unique_ptr<nnvk::Event> event;
  // Waits for the end of the computation, so that ANeuralNetworksEvent_free() returns only then, also if another thread waits for
  // the same event.
  void on_free() { event->finish(); }
  nnvk::api::HandleLife life{this};
};

struct ANeuralNetworksMemoryDesc {
  nnvk::api::DeviceUses uses;                                             // imported devices of the roles
  std::vector<nnvk::api::Kept<ANeuralNetworksCompilation>> compilations;  // of roles
  nnvk::MemoryDescriptor descriptor;
  nnvk::api::HandleLife life{this};
};
