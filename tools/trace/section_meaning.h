// The layer and phase that a section's name stands for, and how the section around it changes them.
//
// The rules are those of Android's systrace parser (in AOSP the folder frameworks/ml/nn/tools/systrace_parser, with its contract
// between code and parser). A section counts for itself if one of these holds:
// - It is in another layer than the section around it, or has none around it.
// - It is marked [SUB] or [SW].
// - It is initialisation (PI) inside another phase.
// - It is a part of execution (PIO, PTR, PCO, PR) in execution (PE) or in another part.
// - The section around it only groups (PO, PWU, PBM, PU).
// Any other section is a detail: its time belongs to the section around it. Sections of layer LU (utility) and of phase PU
// (unspecified) take layer and phase from the section around them.
//
// Two rules are nnvk's own, because its driver runs in the application's process and its devices have tracks: sections of
// category "gpu" are of layer GPU, and those of category "wait" are waiting (summary.h).
#pragma once

#include <optional>
#include <string_view>

#include "tools/trace/trace_file.h"

namespace nnvk::tools::trace {

enum class Layer { kApplication, kRuntime, kIpc, kDriver, kCpu, kGpu, kOther };
inline constexpr size_t kLayers = 7;

// kCompute stands for execution (PE), transformation (PTR) and computation (PCO); kOther for PO, PWU, PBM and PU.
enum class Phase { kInitialization, kPreparation, kCompilation, kInputsAndOutputs, kCompute, kResults, kTermination, kOther };
inline constexpr size_t kPhases = 8;

// The role of a section, by its phase: kExecution for PE, kExecutionPart for PIO, PTR, PCO and PR, kGroup for PO, PWU, PBM and
// PU, and kPlain for all others. From the roles of two nested sections, inside() decides whether the inner one counts for itself.
enum class Role { kPlain, kExecution, kExecutionPart, kGroup };

struct Meaning {
  Layer layer = Layer::kOther;
  Phase phase = Phase::kOther;
  Role role = Role::kGroup;
  bool counts = true;               // false: a detail of the section around it
  bool is_subtracted = false;       // from the time of the section around it: [SUB], [SW], or initialisation in another phase
  bool takes_layer_around = false;  // LU
  bool takes_phase_around = false;  // PU
  bool is_wait = false;
  std::string_view tag;     // "LR_PE", as the name has it
  std::string_view detail;  // the name behind the brackets, such as the function's; like `tag` a part of Section::name
};

// Returns nothing if the name does not follow NNAPI's scheme. The result refers to the section's name.
std::optional<Meaning> meaning_of(const Section& section);

// Returns the meaning of a section inside another one, by the rules above.
Meaning inside(const Meaning& own, const Meaning& around);

}  // namespace nnvk::tools::trace
