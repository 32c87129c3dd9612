// The cost of moving 16 MB into and out of a model: client pointers, which nnvk copies, against a memory that it imports once.
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "perf/benchmarks.h"

namespace nnvk::perf {
namespace {

constexpr uint32_t kCount = 4 << 20;
constexpr size_t kBytes = kCount * sizeof(float);

// y = RELU(x) over 16 MB, so that moving the bytes is most of the work.
std::unique_ptr<CompiledModel> relu_model(const Device& device) {
  ModelBuilder builder;
  const uint32_t x = builder.input(kFloat32, {kCount / 1024, 1024});
  const uint32_t y = builder.output(kFloat32, {kCount / 1024, 1024});
  builder.operation(ANEURALNETWORKS_RELU, {x}, y);
  return std::make_unique<CompiledModel>(builder, device);
}

// The first execution touches pages and imports memory; it is not timed.
void time_computations(benchmark::State& state, ANeuralNetworksExecution* execution) {
  require(ANeuralNetworksExecution_compute(execution), "compute");
  for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
  ANeuralNetworksExecution_free(execution);
}

void pointers(benchmark::State& state, CompiledModel& model) { time_computations(state, model.execution(true)); }

// A memfd with input and output one after the other. `offset` bytes before the input make in-place use impossible.
void memory(benchmark::State& state, CompiledModel& model, size_t offset) {
  const size_t size = 2 * kBytes + 4096;
  const int fd = ::memfd_create("memory_benchmark", MFD_CLOEXEC);
  if (::ftruncate(fd, static_cast<off_t>(size)) != 0) return state.SkipWithError("no shared memory");
  ANeuralNetworksMemory* shared = nullptr;
  require(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &shared), "createFromFd");
  ::close(fd);
  ANeuralNetworksExecution* execution = model.unbound_execution(true);
  require(ANeuralNetworksExecution_setInputFromMemory(execution, 0, nullptr, shared, offset, kBytes), "setInputFromMemory");
  require(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, nullptr, shared, kBytes + offset, kBytes),
          "setOutputFromMemory");
  time_computations(state, execution);
  ANeuralNetworksMemory_free(shared);
}

void memory_in_place(benchmark::State& state, CompiledModel& model) { memory(state, model, 0); }
void memory_copied(benchmark::State& state, CompiledModel& model) { memory(state, model, 4); }

}  // namespace

void register_memory_benchmarks(const Device& device) {
  const std::pair<const char*, RunModel> all[] = {
      {"relu_16MB_pointers", pointers}, {"relu_16MB_memory", memory_in_place}, {"relu_16MB_memory_unaligned", memory_copied}};
  for (const auto& [name, run] : all) {
    register_benchmark(std::string("memory/") + name, device, relu_model, run)->UseRealTime()->Unit(benchmark::kMillisecond);
  }
}

}  // namespace nnvk::perf
