// What the opaque handles of the C API are: thin owners of core objects.
#pragma once

// The entry points are the only symbols with default visibility; the version script lists them.
#pragma GCC visibility push(default)
#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <nnvk/diagnostics.h>
#pragma GCC visibility pop

#include <memory>

#include "core/model/model.h"
#include "core/runtime/compilation.h"
#include "core/runtime/event.h"
#include "core/runtime/execution.h"
#include "core/runtime/memory.h"
#include "core/runtime/memory_descriptor.h"

struct ANeuralNetworksDevice {
  nnvk::Device* device;
};

struct ANeuralNetworksModel {
  nnvk::Model model;
};

struct ANeuralNetworksCompilation {
  nnvk::Compilation compilation;
};

struct ANeuralNetworksExecution {
  std::shared_ptr<nnvk::Execution> execution;
};

struct ANeuralNetworksBurst {
  nnvk::Burst burst;
};

struct ANeuralNetworksEvent {
  std::unique_ptr<nnvk::Event> event;
};

struct ANeuralNetworksMemory {
  std::unique_ptr<nnvk::Memory> memory;
};

struct ANeuralNetworksMemoryDesc {
  nnvk::MemoryDescriptor descriptor;
};
