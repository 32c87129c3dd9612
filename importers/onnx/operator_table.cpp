// All operators, and the reasons for those that NNAPI cannot express.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

constexpr int kOldestOpset = 7;
constexpr int kNewestOpset = 23;

// Operators that are the same since opset 1.
constexpr std::string_view kUnchanged[] = {"Abs",
                                           "Ceil",
                                           "Elu",
                                           "Exp",
                                           "Floor",
                                           "GlobalAveragePool",
                                           "GlobalMaxPool",
                                           "HardSigmoid",
                                           "LRN",
                                           "Log",
                                           "LpNormalization",
                                           "InstanceNormalization",
                                           "LeakyRelu",
                                           "Neg",
                                           "Not",
                                           "Reciprocal",
                                           "Relu",
                                           "Shape",
                                           "Sigmoid",
                                           "Size",
                                           "Softplus",
                                           "Softsign",
                                           "Sqrt",
                                           "Tanh",
                                           "Transpose"};

using Key = std::pair<std::string_view, std::string_view>;

const std::map<Key, OperatorRow>& table() {
  static const auto rows = [] {
    std::map<Key, OperatorRow> all;
    for (const auto family :
         {elementwise_operators(), function_operators(), shape_operators(), index_operators(), convolution_operators(),
          pooling_operators(), normalization_operators(), matrix_operators(), einsum_operators(), reduction_operators(),
          resize_operators(), recurrent_operators(), quantization_operators(), quantized_operators(), loss_operators()}) {
      for (const OperatorRow& row : family) all.emplace(Key{row.domain, row.name}, row);
    }
    return all;
  }();
  return rows;
}

struct Reason {
  std::string_view name;
  std::string_view text;
};

constexpr std::string_view kDataDependent = "the size of its result depends on the data";
constexpr std::string_view kNoFunction = "NNAPI has no such function, and no composition of its operations comes close enough";
constexpr std::string_view kNoScatter = "NNAPI cannot write elements at computed positions";
constexpr std::string_view kNoBits = "NNAPI has no operations on bits";
constexpr std::string_view kNoSequence = "NNAPI has tensors only, no sequences or optional values";
constexpr std::string_view kNoText = "NNAPI has no texts";
constexpr std::string_view kNoRandom = "its random numbers would differ";
constexpr std::string_view kNoTraining = "it belongs to training";
constexpr std::string_view kNoSignal = "NNAPI has neither complex numbers nor windows and transforms of signals";

constexpr Reason kReasons[] = {
    {"Acos", kNoFunction},
    {"Acosh", kNoFunction},
    {"Adagrad", kNoTraining},
    {"Adam", kNoTraining},
    {"Asin", kNoFunction},
    {"Asinh", kNoFunction},
    {"Atan", kNoFunction},
    {"Atanh", kNoFunction},
    {"Bernoulli", kNoRandom},
    {"BitShift", kNoBits},
    {"BitwiseAnd", kNoBits},
    {"BitwiseNot", kNoBits},
    {"BitwiseOr", kNoBits},
    {"BitwiseXor", kNoBits},
    {"BlackmanWindow", kNoSignal},
    {"Compress", kDataDependent},
    {"ConcatFromSequence", kNoSequence},
    {"DFT", kNoSignal},
    {"Det", kNoFunction},
    {"Gradient", kNoTraining},
    {"GridSample", "NNAPI cannot sample an image at computed positions"},
    {"HammingWindow", kNoSignal},
    {"HannWindow", kNoSignal},
    {"If", "its branches stay with the framework"},
    {"Loop", "its body stays with the framework"},
    {"MaxRoiPool", "NNAPI's pooling of regions rounds in another way"},
    {"MaxUnpool", kNoScatter},
    {"MelWeightMatrix", kNoSignal},
    {"Momentum", kNoTraining},
    {"Multinomial", kNoRandom},
    {"NonMaxSuppression", kDataDependent},
    {"NonZero", kDataDependent},
    {"Optional", kNoSequence},
    {"OptionalGetElement", kNoSequence},
    {"OptionalHasElement", kNoSequence},
    {"RandomNormal", kNoRandom},
    {"RandomNormalLike", kNoRandom},
    {"RandomUniform", kNoRandom},
    {"RandomUniformLike", kNoRandom},
    {"ReverseSequence", "NNAPI has no sequences of different lengths"},
    {"RoiAlign", "NNAPI's alignment of regions samples in another way"},
    {"STFT", kNoSignal},
    {"Scan", "its body stays with the framework"},
    {"Scatter", kNoScatter},
    {"ScatterElements", kNoScatter},
    {"ScatterND", kNoScatter},
    {"SequenceAt", kNoSequence},
    {"SequenceConstruct", kNoSequence},
    {"SequenceEmpty", kNoSequence},
    {"SequenceErase", kNoSequence},
    {"SequenceInsert", kNoSequence},
    {"SequenceLength", kNoSequence},
    {"SequenceMap", kNoSequence},
    {"SplitToSequence", kNoSequence},
    {"StringNormalizer", kNoText},
    {"Tan", kNoFunction},
    {"TfIdfVectorizer", kNoText},
    {"Unique", kDataDependent},
};

}  // namespace

std::vector<OperatorRow> known_operators() {
  std::vector<OperatorRow> rows;
  for (const auto& [key, row] : table()) rows.push_back(row);
  return rows;
}

Result<OperatorFunction> find_operator(const Node& node) {
  const auto found = table().find({node.domain, node.op_type});
  const bool unchanged = node.opset >= 1 && (std::ranges::find(kUnchanged, node.op_type) != std::end(kUnchanged) ||
                                             (node.op_type == "Selu" && node.opset >= 6));
  if (node.domain.empty() && ((node.opset < kOldestOpset && !unchanged) || node.opset > kNewestOpset)) {
    return fail(fmt::format("it belongs to opset {}, but the importer knows only opsets {} to {}", node.opset, kOldestOpset,
                            kNewestOpset));
  }
  if (found == table().end()) {
    const auto reason = std::ranges::find(kReasons, node.op_type, &Reason::name);
    if (reason != std::end(kReasons)) return fail(std::string(reason->text));
    return fail(
        fmt::format("the importer does not know the operator {}{}{}", node.domain, node.domain.empty() ? "" : ".", node.op_type));
  }
  if (node.has_subgraphs) return fail("it contains graphs, which stay with the framework");
  if (node.domain.empty() && node.opset < found->second.since) {
    return fail(fmt::format("it exists since opset {}, but the model has opset {}", found->second.since, node.opset));
  }
  return found->second.function;
}

}  // namespace nnvk::importers::onnx
