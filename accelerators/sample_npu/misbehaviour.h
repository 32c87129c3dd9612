// Makes the sample driver misbehave on request, for tests of isolation. A real driver has no such code.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nnvk::sample_npu {

enum class Misbehaviour : uint8_t {
  kCrash,           // a write to address 0
  kExit,            // the process ends
  kHang,            // the call never returns
  kWrongCode,       // an undefined result code
  kWrongRank,       // an output of 100000 dimensions
  kWrongDimension,  // an output that is larger than in the model
};

struct MisbehaviourPlan {
  Misbehaviour kind = Misbehaviour::kCrash;
  uint64_t execution = 0;  // the one that goes wrong, counted from 1 in this process
  bool and_later = false;  // and all later ones
};

// Parses "crash@5", which stands for the fifth execution of the process, or "hang@5+", which stands for all from the fifth on.
// Kinds: crash, exit, hang, wrong-code, wrong-rank, wrong-dimension. Returns nothing for any other text.
std::optional<MisbehaviourPlan> parse_misbehaviour(std::string_view text);

}  // namespace nnvk::sample_npu
