#include "vulkan/recording/recording_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/plan/memory_planner.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/kernel_emitter.h"
#include "vulkan/recording/emission_time.h"
#include "vulkan/recording/hazard_levels.h"

namespace nnvk::vulkan {
namespace {

// Tensors made by emitters; their ids follow those of the plan.
struct LinkedTensor {
  uint64_t size = 0;
  std::optional<uint32_t> constant;  // table or packed
  bool is_status = false;
};

class RecordingBuilder {
 public:
  RecordingBuilder(const ResolvedPlan& resolved, const DeviceTraits& traits, const ConstantIndex& resident,
                   uint32_t next_constant)
      : plan_(resolved.plan),
        resolution_(resolved.resolution),
        emitted_(resolved.emitted),
        traits_(traits),
        resident_(resident),
        next_constant_(next_constant) {}

  Status emit_nodes() {
    skipped_storage_.assign(plan_.tensors.size(), false);
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      const PlanNode& node = plan_.nodes[n];
      if (skips(node, n)) {
        if (!node.is_view) {
          for (const TensorId id : node.outputs) skipped_storage_[plan_.storage_of(id)] = true;
        }
        continue;
      }
      for (const TensorId id : node.outputs) {
        if (!resolution_.infos[id].shape.fully_known()) {
          return fail(Code::kOpFailed, plan_.describe(node) + ": the shape of its output depends on computed values, " +
                                           resolution_.infos[id].shape.to_string());
        }
      }
      if (find_emitter(node.code) == nullptr) return fail(Code::kOpFailed, plan_.describe(node) + ": no Vulkan kernel");
      const auto checked = CheckedNode::check(plan_, node, resolution_);
      if (!checked) return fail(checked.error().at(plan_.place_of(node)));
      const ResolvedNode resolved(*checked, traits_);
      const auto emission =
          emitted_ != nullptr ? emitted_->of(resolved) : std::make_shared<const Result<NodeEmission>>(emit_node(resolved));
      if (!*emission) return fail(emission->error().at(plan_.place_of(node)));
      link(static_cast<uint32_t>(n), **emission);
    }
    return {};
  }

  Result<BuiltPrograms> finish() {
    BuiltPrograms built;
    NNVK_ASSIGN(built.main, finish_part(main_, true));  // first: it decides which raw constants become resident
    NNVK_ASSIGN(built.preparation, finish_part(preparation_, false));
    built.constants = std::move(additions_);
    return built;
  }

 private:
  struct Part {  // the dispatches of one program, while they are collected
    std::vector<Dispatch> dispatches;
    std::map<TensorId, Location> locations;  // of the storages that have one so far
  };

  TensorId make(LinkedTensor tensor) {
    made_.push_back(tensor);
    return static_cast<TensorId>(plan_.tensors.size() + made_.size() - 1);
  }

  TensorId storage_of(TensorId id) const { return id < plan_.tensors.size() ? plan_.storage_of(id) : id; }

  uint64_t size_of(TensorId storage) const {
    if (storage == kNoTensor) return 0;
    if (storage >= plan_.tensors.size()) return made_[storage - plan_.tensors.size()].size;
    return resolution_.infos[storage].byte_size().value_or(0);
  }

  bool is_constant(TensorId id) const {
    if (id == kNoTensor) return false;
    const TensorId storage = storage_of(id);
    if (storage >= plan_.tensors.size()) return made_[storage - plan_.tensors.size()].constant.has_value();
    return plan_.is_constant(storage);
  }

  // Skips views, and host-evaluated nodes unless their result lies in the bytes of a plan output, which the device writes.
  bool skips(const PlanNode& node, size_t index) const {
    if (node.is_view) return true;
    if (!resolution_.evaluated_on_host[index]) return false;
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](TensorId id) { return plan_.tensors[plan_.storage_of(id)].role == TensorRole::kTemporary; });
  }

  // Copies an emission's dispatches and gives their tensors the ids of this plan. Dispatches that pack constants join the
  // preparation, all others the main program.
  void link(uint32_t node, const NodeEmission& emission) {
    std::vector<TensorId> made;
    const auto linked = [&](TensorId id) {
      if (id == kNoTensor) return id;
      if (id >= emission.first_made) return made[id - emission.first_made];
      return operand_for(id, emission, plan_.nodes[node]);
    };
    const auto add = [&](std::span<const Dispatch> dispatches, Part& part) {
      for (const Dispatch& dispatch : dispatches) {
        Dispatch& added = part.dispatches.emplace_back(dispatch);
        added.node = node;
        for (TensorBinding& binding : added.bindings) binding.tensor = linked(binding.tensor);
      }
    };
    std::vector<const MadeTensor*> packed_in_preparation;
    std::vector<const MadeTensor*> packed_in_every_run;
    for (const MadeTensor& tensor : emission.made) {
      LinkedTensor link{tensor.size, std::nullopt, tensor.kind == MadeTensor::Kind::kStatus};
      if (tensor.kind == MadeTensor::Kind::kTable) {
        link.constant = constant_id({ConstantKey::Kind::kTable, node, tensor.key, tensor.contents}, tensor.size);
      } else if (tensor.kind == MadeTensor::Kind::kPacked && is_constant(linked(tensor.source))) {
        const ConstantKey name{ConstantKey::Kind::kPacked, node, tensor.key, {}};
        if (!resident_.contains(name) && !added_.contains(name)) packed_in_preparation.push_back(&tensor);
        link.constant = constant_id(name, tensor.size);
      } else if (tensor.kind == MadeTensor::Kind::kPacked) {
        packed_in_every_run.push_back(&tensor);
      }
      made.push_back(make(link));
    }
    for (const MadeTensor* const tensor : packed_in_preparation) add(tensor->packing, preparation_);
    size_t done = 0;
    for (const MadeTensor* const tensor : packed_in_every_run) {
      add(std::span(emission.dispatches).subspan(done, tensor->before - done), main_);
      add(tensor->packing, main_);
      done = tensor->before;
    }
    add(std::span(emission.dispatches).subspan(done), main_);
    for (const SizeReport& size : emission.sizes) {
      data_sizes_.push_back({linked(size.output), size.dimension, linked(size.status), size.word});
    }
    for (const FailureReport& failure : emission.failures) {
      failure_flags_.push_back({linked(failure.status), failure.word, failure.message});
    }
  }

  uint32_t constant_id(const ConstantKey& key, uint64_t size, std::span<const std::byte> bytes = {}) {
    if (const auto found = resident_.find(key); found != resident_.end()) return found->second;
    const auto [entry, inserted] = added_.try_emplace(key, next_constant_);
    if (inserted) additions_.push_back({key, next_constant_++, size, bytes});
    return entry->second;
  }

  std::string place_name(const Dispatch& dispatch) const {
    const std::string node = dispatch.node < plan_.nodes.size() ? plan_.describe(plan_.nodes[dispatch.node]) : "operation ?";
    return node + ", kernel " + kernel_info(dispatch.kernel).name;
  }

  // Places inputs, status words and outputs, each at its own location for the whole run.
  void place_io(DispatchProgram& program, Part& part) const {
    uint64_t offset = 0;
    const auto place = [&](const std::vector<TensorId>& tensors, std::vector<IoTensor>& list, size_t first) {
      const auto first_index = static_cast<uint32_t>(first);
      for (const TensorId id : tensors) {
        IoTensor io;
        io.used = resolution_.present[id];
        io.shape = resolution_.infos[id].shape;
        if (io.used) {
          io.offset = offset;
          io.size = resolution_.infos[id].byte_size().value_or(0);
          part.locations[id] = {Region::kIo, first_index + static_cast<uint32_t>(list.size()), io.offset, io.size};
          offset = offset_after(offset, io.size);
          if (const auto& agreed = resolution_.data_dependent[id]) io.data_dependent = std::make_shared<const Shape>(*agreed);
        }
        list.push_back(std::move(io));
      }
    };
    place(plan_.inputs, program.inputs, 0);
    program.output_begin = offset;
    for (size_t i = 0; i < made_.size(); ++i) {
      if (!made_[i].is_status) continue;
      part.locations[static_cast<TensorId>(plan_.tensors.size() + i)] = {Region::kIo, kNoIoTensor, offset, made_[i].size};
      offset = offset_after(offset, made_[i].size);
    }
    program.input_end = offset;
    place(plan_.outputs, program.outputs, program.inputs.size());
    program.io_size = offset;

    const auto word_at = [&](TensorId status, uint32_t word) {
      return part.locations.at(status).offset + word * sizeof(uint32_t);
    };
    for (const SizeReport& report : data_sizes_) {
      const PlanTensor& output = plan_.tensors[report.output];
      if (output.role != TensorRole::kOutput) continue;  // no operation reads it: plans are split after data-dependent results
      program.data_sizes.push_back({output.io_index, report.dimension, word_at(report.status, report.word)});
    }
    for (const FailureReport& report : failure_flags_) {
      program.failure_flags.push_back({word_at(report.status, report.word), report.message});
    }
  }

  // Places constants that recordings share. `keep_raw`: raw constants become resident; else only resident ones are used.
  void place_constants(Part& part, bool keep_raw) {
    for (const Dispatch& dispatch : part.dispatches) {
      for (const TensorBinding& binding : dispatch.bindings) {
        const TensorId storage = storage_of(binding.tensor);
        if (!is_constant(storage) || part.locations.contains(storage)) continue;
        std::optional<uint32_t> id;
        if (storage >= plan_.tensors.size()) {
          id = made_[storage - plan_.tensors.size()].constant;
        } else {
          const ConstantKey key{ConstantKey::Kind::kRaw, storage, {}, {}};
          if (!keep_raw && !resident_.contains(key) && !added_.contains(key)) continue;
          const std::span<const std::byte> value = plan_.tensors[storage].value;
          id = constant_id(key, size_of(storage), value.first(std::min<size_t>(value.size(), size_of(storage))));
        }
        if (id) part.locations[storage] = {Region::kConstant, *id, 0, size_of(storage)};
      }
    }
  }

  // Places constants and host-computed values that only this program uses, and omitted operands: every binding needs a location.
  void place_local(DispatchProgram& program, Part& part) const {
    const auto place = [&](TensorId storage, std::span<const std::byte> bytes) {
      part.locations[storage] = {Region::kLocal, 0, program.local_size, bytes.size()};
      if (!bytes.empty()) program.local.push_back({program.local_size, bytes});
      program.local_size = offset_after(program.local_size, bytes.size());
    };
    for (const Dispatch& dispatch : part.dispatches) {
      for (const TensorBinding& binding : dispatch.bindings) {
        const TensorId storage = storage_of(binding.tensor);
        if (part.locations.contains(storage)) continue;
        if (storage == kNoTensor || (storage < plan_.tensors.size() && !resolution_.present[storage])) {
          place(storage, {});
        } else if (is_constant(storage) && storage < plan_.tensors.size()) {
          place(storage, plan_.tensors[storage].value);
        } else if (storage < plan_.tensors.size() && skipped_storage_[storage]) {  // the host computes it
          place(storage, resolution_.host_values[storage]);
        }
      }
    }
  }

  // Places all other tensors, which are temporaries and scratch: they live from the first level that touches them to the last.
  Status place_arena(DispatchProgram& program, Part& part, const std::vector<uint32_t>& levels) const {
    std::map<TensorId, size_t> indices;
    std::vector<TensorId> storages;
    std::vector<TensorLifetime> lifetimes;
    for (size_t d = 0; d < part.dispatches.size(); ++d) {
      for (const TensorBinding& binding : part.dispatches[d].bindings) {
        const TensorId storage = storage_of(binding.tensor);
        if (part.locations.contains(storage)) continue;
        const auto [entry, inserted] = indices.try_emplace(storage, lifetimes.size());
        if (inserted) {
          storages.push_back(storage);
          lifetimes.push_back({padded_size(size_of(storage)), levels[d], levels[d]});
        }
        TensorLifetime& lifetime = lifetimes[entry->second];
        lifetime.first_level = std::min(lifetime.first_level, levels[d]);
        lifetime.last_level = std::max(lifetime.last_level, levels[d]);
      }
    }
    NNVK_ASSIGN(const ArenaPlan arena, plan_arena(lifetimes, kStorageAlignment));
    for (size_t i = 0; i < storages.size(); ++i) {
      part.locations[storages[i]] = {Region::kArena, 0, arena.offsets[i], size_of(storages[i])};
    }
    program.arena_size = arena.size;
    return {};
  }

  ByteAccess touched_bytes(const TensorBinding& binding) const {
    const TensorId storage = storage_of(binding.tensor);
    const uint64_t whole = padded_size(size_of(storage));
    const bool writes = binding.access != Access::kRead;
    const TouchedRows& rows = binding.touched;
    if (rows.size == 0 || rows.count == 0) return {storage, 0, whole, writes};
    const uint64_t end = std::min(whole, rows.begin + (rows.count - 1) * rows.stride + rows.size);
    if (rows.count == 1 || rows.stride < rows.size) return {storage, rows.begin, end, writes};
    return {storage, rows.begin, end, writes, rows.stride, rows.size};
  }

  // Checks the dispatch against its kernel and the device, and chooses the variant.
  Status settle_variant(ProgramDispatch& dispatch) const {
    const Dispatch& d = dispatch.dispatch;
    const KernelInfo& kernel = kernel_info(d.kernel);
    const auto refuse = [&](const std::string& reason) { return fail(Code::kOpFailed, place_name(d) + ": " + reason); };
    if (d.bindings.size() != kernel.bindings.size()) {
      return refuse(std::to_string(d.bindings.size()) + " bindings given, the shader has " +
                    std::to_string(kernel.bindings.size()));
    }
    if (d.params.size() != kernel.params_bytes) {
      return refuse(std::to_string(d.params.size()) + " bytes of parameters given, the shader has " +
                    std::to_string(kernel.params_bytes));
    }
    std::vector<BoundBytes> bound;
    for (size_t b = 0; b < d.bindings.size(); ++b) {
      if (kernel.bindings[b].kind == BindingKind::kInput && d.bindings[b].format == ViewFormat::kWords) {
        return refuse("binding " + std::to_string(b) + " needs a texel format");
      }
      bound.push_back({d.bindings[b].format, padded_size(dispatch.locations[b].size)});
    }
    const auto chosen = choose_variant(kernel, bound, traits_);
    if (!chosen) return fail(chosen.error().code, place_name(d) + ": " + chosen.error().message);
    dispatch.variant = *chosen;
    return {};
  }

  Result<DispatchProgram> finish_part(Part& part, bool is_main) {
    DispatchProgram program;
    if (is_main) place_io(program, part);
    place_constants(part, is_main);
    place_local(program, part);

    std::vector<std::vector<ByteAccess>> accesses;
    for (const Dispatch& dispatch : part.dispatches) {
      std::vector<ByteAccess>& list = accesses.emplace_back();
      for (const TensorBinding& binding : dispatch.bindings) list.push_back(touched_bytes(binding));
    }
    const std::vector<uint32_t> levels = assign_levels(accesses);
    NNVK_TRY(place_arena(program, part, levels));

    for (size_t d = 0; d < part.dispatches.size(); ++d) {
      ProgramDispatch placed;
      placed.dispatch = std::move(part.dispatches[d]);
      placed.level = levels[d];
      for (const TensorBinding& binding : placed.dispatch.bindings) {
        placed.locations.push_back(part.locations.at(storage_of(binding.tensor)));
        const Region region = placed.locations.back().region;
        if (!is_main && region == Region::kIo)
          return fail(Code::kOpFailed, place_name(placed.dispatch) + ": packs a tensor that varies");
      }
      NNVK_TRY(settle_variant(placed));
      std::vector<uint64_t> sizes;
      for (const Location& location : placed.locations) sizes.push_back(padded_size(location.size));
      placed.seconds = predicted_seconds(work_of(placed.dispatch, sizes, traits_.machine), traits_.machine);
      program.dispatches.push_back(std::move(placed));
    }
    std::ranges::stable_sort(program.dispatches, {}, &ProgramDispatch::level);
    return program;
  }

  const Plan& plan_;
  const Resolution& resolution_;
  KeptEmissions* const emitted_;
  const DeviceTraits& traits_;
  const ConstantIndex& resident_;
  uint32_t next_constant_;
  std::vector<SizeReport> data_sizes_;
  std::vector<FailureReport> failure_flags_;
  std::vector<LinkedTensor> made_;
  std::vector<bool> skipped_storage_;  // per plan tensor: its producer runs on the host
  Part main_;
  Part preparation_;
  std::vector<NewConstant> additions_;
  std::map<ConstantKey, uint32_t> added_;
};

}  // namespace

Result<BuiltPrograms> build_programs(const ResolvedPlan& resolved, const DeviceTraits& traits, const ConstantIndex& resident,
                                     uint32_t next_constant) {
  RecordingBuilder builder(resolved, traits, resident, next_constant);
  NNVK_TRY(builder.emit_nodes());
  return builder.finish();
}

}  // namespace nnvk::vulkan
