// A client's bindings of the inputs and outputs of an execution, checked when set and before use, and turned into Bindings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/operand_rules.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/runtime/compilation.h"
#include "core/runtime/device.h"
#include "core/runtime/memory.h"
#include "core/runtime/shrinkable_file.h"

namespace nnvk {

// The client's argument for one input or output: a buffer, or a region of a memory. Without both, the operand is omitted.
struct IoSource {
  const OperandTypeDescription* type = nullptr;  // null: as in the model
  const void* data = nullptr;                    // of outputs written
  Memory* memory = nullptr;
  size_t offset = 0;  // into the memory; 0 with length 0: all of it
  size_t length = 0;
};

class ExecutionBindings {
 public:
  explicit ExecutionBindings(const Compilation& compilation);

  // Sets the argument of an operand. Returns BAD_STATE if the operand is already set, BAD_DATA if the argument breaks a rule;
  // then nothing changes.
  Status set(bool is_input, uint32_t index, const IoSource& source);
  // Sets the conversion of a picture into input `index` (default: PictureConversion{}). BAD_DATA if it does not fit the input.
  Status set_picture(uint32_t index, const PictureConversion& conversion);
  // Switches padding on or off. Returns BAD_STATE once something is set.
  Status enable_padding(bool enable);

  Status check_all_set() const;
  Status check_inputs_readable() const;
  Status check_output_shapes_known() const;
  Status check_usable_by_cpu() const;  // docs/nnapi/memory.md#hardware-buffers: before a CPU device runs the whole model

  // Maps the memories at its first call. Devices may then use inputs() and outputs(), except that pictures need a conversion.
  Status map();
  std::span<const Binding> inputs() const { return inputs_.bindings; }
  std::span<const Binding> outputs() const { return outputs_.bindings; }
  // Returns UNMAPPABLE if a file behind a memory has become too short (shrinkable_file.h). Call it before every computation.
  Status check_files() const;
  // Returns the shape of output `index` as far as model and client know it. BAD_DATA if the output does not exist or was omitted.
  Result<Shape> output_shape(uint32_t index) const;
  bool has_pictures() const { return has_pictures_; }
  std::vector<PictureInput> pictures() const;

  // Reports the result of a computation to the memories of the outputs. `reports`: one per output, or none.
  void mark_outputs(const Status& result, std::span<const OutputReport> reports) const;

 private:
  // The facts about an input or output that its Binding lacks.
  struct Argument {
    bool is_set = false;
    bool is_exact = false;  // its shape is fully known
    Memory* memory = nullptr;
    size_t offset = 0;
    std::optional<PictureConversion> conversion;  // set by the client: the input must be a picture
    bool is_picture() const { return memory != nullptr && memory->picture() != nullptr; }
  };
  struct Side {
    const char* name;
    MapAccess access;
    const std::vector<OperandInfo>& infos;  // of the model
    std::vector<Argument> arguments;
    std::vector<Binding> bindings;  // shapes as the client gives them; sizes are those of the client's regions until map()
  };
  Status check_index(const Side& side, uint32_t index) const;
  Status set_argument(Side& side, uint32_t index, const IoSource& source);
  Status check_region(const Side& side, uint32_t index, const IoSource& source) const;
  Status map_argument(Side& side, size_t index);
  void note_file(const Memory& memory, const OperandPlace& place);
  PictureInput picture_at(size_t index) const;
  void prepare_picture(size_t index) const;

  // A file that must be as long as when it was mapped.
  struct File {
    std::shared_ptr<const ShrinkableFile> file;
    OperandPlace place;  // the first input or output that lies in it, for errors
  };

  const Compilation& compilation_;
  Side inputs_;
  Side outputs_;
  bool anything_set_ = false;
  bool padding_ = false;
  bool is_mapped_ = false;
  bool has_pictures_ = false;
  std::vector<File> files_;  // each once
};

}  // namespace nnvk
