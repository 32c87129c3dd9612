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

// The operators that the importer takes from older models, and since which opset they mean what it knows.
struct Older {
  std::string_view name;
  int since;
};
constexpr Older kOlder[] = {
    {"Abs", 1},
    {"Add", 1},
    {"ArgMax", 1},
    {"ArgMin", 1},
    {"AveragePool", 1},
    {"Ceil", 1},
    {"Clip", 1},
    {"Concat", 4},
    {"Constant", 1},
    {"Conv", 1},
    {"ConvTranspose", 1},
    {"DepthToSpace", 1},
    {"Div", 1},
    {"Elu", 1},
    {"Equal", 1},
    {"Exp", 1},
    {"Flatten", 1},
    {"Floor", 1},
    {"Gather", 1},
    {"Gemm", 6},
    {"GlobalAveragePool", 1},
    {"GlobalMaxPool", 1},
    {"Greater", 1},
    {"HardSigmoid", 1},
    {"Identity", 1},
    {"LRN", 1},
    {"LeakyRelu", 1},
    {"Less", 1},
    {"Log", 1},
    {"LogSoftmax", 1},
    {"LpNormalization", 1},
    {"MatMul", 1},
    {"MaxPool", 1},
    {"Mul", 1},
    {"InstanceNormalization", 1},
    {"Neg", 1},
    {"Not", 1},
    {"Pad", 2},
    {"Pow", 1},
    {"Reciprocal", 1},
    {"ReduceL1", 1},
    {"ReduceL2", 1},
    {"ReduceMax", 1},
    {"ReduceMean", 1},
    {"ReduceMin", 1},
    {"ReduceProd", 1},
    {"ReduceSum", 1},
    {"Relu", 1},
    {"Reshape", 1},
    {"Selu", 6},
    {"Shape", 1},
    {"Sigmoid", 1},
    {"Size", 1},
    {"Slice", 1},
    {"Softmax", 1},
    {"Softplus", 1},
    {"Softsign", 1},
    {"SpaceToDepth", 1},
    {"Split", 2},
    {"Sqrt", 1},
    {"Squeeze", 1},
    {"Sub", 1},
    {"Tanh", 1},
    {"Transpose", 1},
    {"Unsqueeze", 1},
    {"Xor", 1},
};

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
  const auto older = std::ranges::find(kOlder, node.op_type, &Older::name);
  const int oldest = older == std::end(kOlder) ? kOldestOpset : older->since;
  if (node.domain.empty() && (node.opset < oldest || node.opset > kNewestOpset)) {
    return fail(fmt::format("it belongs to opset {}, but the importer knows this operator of opsets {} to {} only", node.opset,
                            oldest, kNewestOpset));
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
