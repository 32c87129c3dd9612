// One execution of a program on the calling thread and the pool's threads.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/runtime/device.h"
#include "cpu_fallback/execution_run.h"
#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/program.h"

namespace nnvk::cpu {

// The memory of one execution at a time, kept for later executions.
struct Workspace {
  AlignedBuffer<std::byte> arena;
  std::vector<AlignedBuffer<std::byte>> staging;  // for inputs, then outputs, whose client memory is unusable
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  std::vector<const std::byte*> step_inputs;
  std::vector<std::byte*> step_outputs;
};

// Workspaces of a program: as many as the most executions that have run at once.
class Workspaces {
 public:
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

// Returns OUTPUT_INSUFFICIENT_SIZE when the client's buffer is too small for an output. Appends a report for every output to
// `reports`.
Status check_room_of_outputs(const Plan& plan, const Resolution& resolution, const Request& request,
                             std::vector<OutputReport>& reports);

// Runs the program; throws only when memory runs out. The bindings must have the shapes of the program's resolution. Treats
// deadlines and sizes like run_nodes().
ExecutionReport run_program(const Program& program, const Request& request, ThreadPool& threads, Workspaces& workspaces,
                            RunCounts& counts);

}  // namespace nnvk::cpu
