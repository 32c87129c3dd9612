#include "tools/conformance/random/misuse.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tools/conformance/generators/copies.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

constexpr uint64_t kMostElements = 1 << 16;

constexpr int32_t kOddIntegers[] = {
    -1, 0, 1, 2, 3, 5, 7, 17, 100, -7, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
constexpr float kOddReals[] = {
    0, -1, 1, 1e30F, -1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};

const std::vector<uint32_t>& shape_of(const VectorOperand& operand) {
  return operand.actual_dimensions ? *operand.actual_dimensions : operand.dimensions;
}

// Gives the operand another shape and repeats its elements. The model declares the shape or leaves it open.
void reshape(VectorOperand& operand, std::vector<uint32_t> shape, Decisions& decisions) {
  uint64_t count = 1;
  for (const uint32_t d : shape) count *= d;
  const std::vector<uint8_t> old = std::move(operand.data);
  operand.data.resize(count * element_size(operand.type));
  for (size_t i = 0; i < operand.data.size() && !old.empty(); ++i) operand.data[i] = old[i % old.size()];
  operand.actual_dimensions.reset();
  if (decisions.one_in(3)) {
    operand.dimensions = shape;
    return;
  }
  operand.dimensions = decisions.one_in(2) ? std::vector<uint32_t>() : std::vector<uint32_t>(shape.size());
  operand.actual_dimensions = std::move(shape);
}

std::string change_shape(VectorOperand& operand, Decisions& decisions) {
  std::vector<uint32_t> shape = shape_of(operand);
  const auto at = [&](size_t size) { return static_cast<ptrdiff_t>(decisions.below(static_cast<uint32_t>(size))); };
  switch (decisions.below(5)) {
    case 0:
      shape.insert(shape.begin() + at(shape.size() + 1), 1 + decisions.below(3));
      break;
    case 1:
      if (shape.size() > 1) shape.erase(shape.begin() + at(shape.size()));
      break;
    case 2:
      shape[static_cast<size_t>(at(shape.size()))] = 1 + decisions.below(9);
      break;
    case 3:
      ++shape[static_cast<size_t>(at(shape.size()))];
      break;
    default: {
      uint32_t& d = shape[static_cast<size_t>(at(shape.size()))];
      d = d > 1 ? d - 1 : 2;
    }
  }
  uint64_t count = 1;
  for (const uint32_t d : shape) count *= d;
  if (count == 0 || count > kMostElements) return "";
  const auto text = fmt::format("has shape [{}] instead of [{}]", fmt::join(shape, ","), fmt::join(shape_of(operand), ","));
  reshape(operand, std::move(shape), decisions);
  return text;
}

template <class T>
void put(std::vector<uint8_t>& data, size_t element, T value) {
  std::memcpy(data.data() + element * sizeof value, &value, sizeof value);
}

// Changes one element of an integer tensor or a scalar.
std::string change_value(VectorOperand& operand, Decisions& decisions) {
  const size_t size = element_size(operand.type);
  if (operand.data.size() < size) return "";
  const size_t element = decisions.below(static_cast<uint32_t>(operand.data.size() / size));
  switch (operand.type) {
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_TENSOR_INT32: {
      const int32_t value = decisions.pick(std::vector(std::begin(kOddIntegers), std::end(kOddIntegers)));
      put(operand.data, element, value);
      return fmt::format("is {} at {}", value, element);
    }
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_FLOAT16: {
      const float value = decisions.pick(std::vector(std::begin(kOddReals), std::end(kOddReals)));
      size == sizeof(float) ? put(operand.data, element, value) : put(operand.data, element, float_to_half(value));
      return fmt::format("is {}", value);
    }
    case ANEURALNETWORKS_BOOL:
      operand.data[0] ^= 1;
      return fmt::format("is {}", operand.data[0] != 0);
    default:
      return "";
  }
}

std::string omit(VectorOperand& operand) {
  if (operand.data.empty()) return "";
  operand.data.clear();
  operand.actual_dimensions.reset();
  return "is not given";
}

}  // namespace

std::string spoil(VectorCase& c, Decisions& decisions) {
  VectorGraph& graph = c.main;
  std::vector<uint32_t> candidates = graph.inputs;
  for (uint32_t i = 0; i < graph.operands.size(); ++i) {
    const auto& operand = graph.operands[i];
    if (operand.lifetime == Lifetime::kConstantCopy && operand.channel_scales.empty()) candidates.push_back(i);
  }
  if (candidates.empty()) return "";
  constexpr int kTries = 16;
  std::string what;
  uint32_t chosen = 0;
  for (int i = 0; i < kTries && what.empty(); ++i) {
    chosen = decisions.pick(candidates);
    VectorOperand& operand = graph.operands[chosen];
    const bool is_tensor_input = is_tensor(operand.type) && operand.channel_scales.empty() && !shape_of(operand).empty();
    const uint32_t form = decisions.below(8);
    if (form == 0) {
      what = omit(operand);
    } else if (is_tensor_input && (form < 5 || operand.type != ANEURALNETWORKS_TENSOR_INT32)) {
      what = change_shape(operand, decisions);
    } else {
      what = change_value(operand, decisions);
    }
  }
  if (what.empty()) return "";
  VectorOperand& operand = graph.operands[chosen];
  if (operand.lifetime == Lifetime::kConstantCopy) {
    operand.lifetime = Lifetime::kModelInput;
    graph.inputs.push_back(chosen);
  }
  if (!operand.data.empty() && can_be_copied(operand) && decisions.one_in(2)) {
    std::vector<VectorOperation> readers;
    readers.swap(graph.operations);
    const uint32_t copy = add_copy(graph, chosen);
    for (auto& reader : readers) std::ranges::replace(reader.inputs, chosen, copy);
    graph.operations.insert(graph.operations.end(), readers.begin(), readers.end());
    what += " and is computed";
  }
  return fmt::format("operand {} {}", chosen, what);
}

}  // namespace nnvk::tools::conformance
