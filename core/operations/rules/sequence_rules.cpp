// Rules of layers over sequences.
#include "core/operations/rules/sequence_rules.h"

#include <algorithm>
#include <string>

#include "core/operations/rules/sequence_layout.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

uint32_t add_dimensions(uint32_t a, uint32_t b) {
  if (!is_known(a) || !is_known(b)) return kUnknownDimension;
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{a} + b, kUnknownDimension - 1));
}

}  // namespace

Sequence sequence_of(const OperationView& operation, std::optional<bool> time_major) {
  Sequence sequence;
  if (time_major) sequence.batch = dimension_of(operation, kSequenceInput, *time_major ? 1 : 0);
  sequence.size = dimension_of(operation, kSequenceInput, 2);
  return sequence;
}

Shape sequence_output(const OperationView& operation, uint32_t size) {
  return Shape{dimension_of(operation, kSequenceInput, 0), dimension_of(operation, kSequenceInput, 1), size};
}

Result<Linking> linking_of(Presence input, Presence forward, Presence backward) {
  for (const Presence presence : {input, forward, backward}) {
    if (presence == Presence::kUncertain) return Linking::kUncertain;
  }
  if (forward != backward) return fail(Code::kOpFailed, "auxiliary weights must be given for both directions or for none");
  if (input == Presence::kOmitted && forward == Presence::kGiven) {
    return fail(Code::kOpFailed, "auxiliary weights need the auxiliary input");
  }
  if (input == Presence::kOmitted) return Linking::kNone;
  return forward == Presence::kGiven ? Linking::kCross : Linking::kParallel;
}

uint32_t backward_input_size(Linking linking, uint32_t input_size, uint32_t aux_size) {
  if (linking == Linking::kUncertain) return kUnknownDimension;
  return linking == Linking::kParallel ? aux_size : input_size;
}

Status expect_auxiliary_sequence(const OperationView& operation, size_t aux, uint32_t size) {
  return expect_optional_shape(operation, aux,
                               {dimension_of(operation, kSequenceInput, 0), dimension_of(operation, kSequenceInput, 1), size});
}

Result<std::vector<Shape>> bidirectional_outputs(const OperationView& operation, size_t merge_input, size_t state_count,
                                                 BidirectionalSizes sizes) {
  const size_t count = operation.outputs.size();
  const bool merged = outputs_are_merged(count, state_count);
  if (const auto merge = optional_flag(operation, merge_input); merge && *merge != merged) {
    return fail(Code::kOpFailed, std::string("merge_outputs is ") + (*merge ? "true" : "false") + " but the operation has " +
                                     std::to_string(count) + " outputs");
  }
  if (merged) return std::vector{sequence_output(operation, add_dimensions(sizes.forward, sizes.backward))};
  return std::vector{sequence_output(operation, sizes.forward), sequence_output(operation, sizes.backward)};
}

}  // namespace nnvk
