// Ways in which a driver can go wrong, on request: what tests of isolation need. A real driver has nothing of this.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nnvk::sample_npu {

enum class Misbehaviour : uint8_t {
  kCrash,           // a write to address 0
  kExit,            // the process ends
  kHang,            // the call never comes back
  kWrongCode,       // a result code that there is not
  kWrongRank,       // an output of 100000 dimensions
  kWrongDimension,  // an output that is larger than the model says
};

struct MisbehaviourPlan {
  Misbehaviour kind = Misbehaviour::kCrash;
  uint64_t execution = 0;  // the one that goes wrong, counted from 1 in this process
  bool and_later = false;  // and all behind it
};

// "crash@5": the fifth execution of the process. "hang@5+": from the fifth on. Kinds: crash, exit, hang, wrong-code, wrong-rank,
// wrong-dimension. Nothing for what is none of that.
std::optional<MisbehaviourPlan> parse_misbehaviour(std::string_view text);

}  // namespace nnvk::sample_npu
