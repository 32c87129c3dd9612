// Builds flatbuffers from decisions.
#include "tests/fuzz/tflite_recipe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "tflite_subset_generated.h"

namespace nnvk::fuzz {
namespace {

namespace fb = flatbuffers;
using namespace importers::tflite::format;

constexpr uint32_t kMostData = 4096;  // bytes of a constant
constexpr const char* kCustomNames[] = {"TFLite_Detection_PostProcess", "Convolution2DTransposeBias", "unknown"};

struct TensorSizes {
  uint64_t elements = 1;
  TensorType type = TensorType_FLOAT32;
};

uint32_t bytes_of(TensorType type) {
  switch (type) {
    case TensorType_FLOAT32:
    case TensorType_INT32:
      return 4;
    case TensorType_FLOAT16:
    case TensorType_INT16:
      return 2;
    case TensorType_INT64:
      return 8;
    default:
      return 1;
  }
}

class FileMaker {
 public:
  explicit FileMaker(ByteSource& source) : source_(source) {}

  Input make() {
    buffers_.push_back(CreateBuffer(builder_));  // the empty one
    std::vector<fb::Offset<SubGraph>> all{subgraph()};
    for (uint32_t others = source_.below(3); others > 0; --others) all.push_back(subgraph());
    const auto graphs = builder_.CreateVector(all);
    const auto codes = builder_.CreateVector(codes_);
    FinishModelBuffer(builder_, CreateModel(builder_, 3, codes, graphs, 0, builder_.CreateVector(buffers_)));
    const auto* bytes = reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
    return {bytes, bytes + builder_.GetSize()};
  }

 private:
  fb::Offset<SubGraph> subgraph() {
    tensors_.clear();
    sizes_.clear();
    operators_.clear();
    const uint32_t tensors = 1 + source_.below(16);
    for (uint32_t i = 0; i < tensors; ++i) add_tensor();
    const uint32_t operators = 1 + source_.below(8);
    for (uint32_t i = 0; i < operators; ++i) add_operator();
    const auto inputs = indexes(4, false);
    const auto outputs = indexes(4, false);
    const auto tensor_list = builder_.CreateVector(tensors_);
    return CreateSubGraph(builder_, tensor_list, inputs, outputs, builder_.CreateVector(operators_));
  }

  // Which elements of a constant are stored: any numbers.
  fb::Offset<Sparsity> sparsity() {
    std::vector<fb::Offset<DimensionMetadata>> dimensions(source_.below(5));
    for (auto& dimension : dimensions) {
      const auto size = static_cast<int32_t>(source_.number());
      const bool compressed = flag();
      const std::vector<int32_t> starts = numbers(6);
      const std::vector<int32_t> places = numbers(6);
      const auto segments = CreateInt32Vector(builder_, builder_.CreateVector(starts)).Union();
      const std::vector<uint8_t> small(places.begin(), places.end());
      builder_.ForceVectorAlignment(small.size(), 1, 4);
      const auto indices = CreateUint8Vector(builder_, builder_.CreateVector(small)).Union();
      dimension = CreateDimensionMetadata(builder_, compressed ? DimensionType_SPARSE_CSR : DimensionType_DENSE, size,
                                          IndexVector_Int32Vector, segments, IndexVector_Uint8Vector, indices);
    }
    const auto order = builder_.CreateVector(numbers(5));
    const auto map = builder_.CreateVector(numbers(2));
    return CreateSparsity(builder_, order, map, builder_.CreateVector(dimensions));
  }

  fb::Offset<fb::Vector<int32_t>> indexes(uint32_t most, bool may_be_omitted) {
    std::vector<int32_t> list(source_.below(most + 1));
    for (int32_t& index : list) {
      const uint32_t choice = source_.below(static_cast<uint32_t>(sizes_.size()) + (may_be_omitted ? 1 : 0));
      index = choice < sizes_.size() ? static_cast<int32_t>(choice) : -1;
    }
    return builder_.CreateVector(list);
  }

  std::vector<int32_t> numbers(uint32_t most) {
    std::vector<int32_t> list(source_.below(most + 1));
    for (int32_t& number : list) number = static_cast<int32_t>(source_.number());
    return list;
  }

  void add_tensor() {
    TensorSizes sizes;
    sizes.type = static_cast<TensorType>(source_.below(18));
    const std::vector<int32_t> shape = numbers(6);
    for (const int32_t d : shape) sizes.elements *= static_cast<uint32_t>(d);
    const uint8_t flags = source_.byte();
    std::vector<float> scales;
    std::vector<int64_t> zero_points;
    int32_t axis = 0;
    if ((flags & 1) != 0) scales = {source_.value<float>()};
    if ((flags & 2) != 0 && !shape.empty()) {
      axis = static_cast<int32_t>(source_.below(static_cast<uint32_t>(shape.size())));
      scales.assign(std::min<uint32_t>(static_cast<uint32_t>(shape[static_cast<size_t>(axis)]), 256), source_.value<float>());
    }
    if ((flags & 4) != 0) zero_points.assign(scales.size(), static_cast<int8_t>(source_.byte()));
    uint32_t buffer = 0;
    const uint64_t bytes = sizes.elements * bytes_of(sizes.type);
    const bool sparse = (flags & 32) != 0;
    const uint64_t size = sparse ? 1 + source_.below(64) : sizes.type == TensorType_INT4 ? (bytes + 1) / 2 : bytes;
    if ((flags & 8) != 0 && size > 0 && size <= kMostData) {
      std::vector<uint8_t> data(size);
      const uint8_t written = source_.byte();
      for (size_t i = 0; i < data.size() && i < written; ++i) data[i] = source_.byte();
      buffer = static_cast<uint32_t>(buffers_.size());
      buffers_.push_back(CreateBuffer(builder_, builder_.CreateVector(data)));
    }
    fb::Offset<QuantizationParameters> quantization;
    if (!scales.empty()) {
      quantization =
          CreateQuantizationParameters(builder_, 0, 0, builder_.CreateVector(scales), builder_.CreateVector(zero_points), axis);
    }
    const auto stored = sparse ? sparsity() : fb::Offset<Sparsity>();
    const auto dimensions = builder_.CreateVector(shape);
    const auto name = builder_.CreateString("t");
    tensors_.push_back(CreateTensor(builder_, dimensions, sizes.type, buffer, name, quantization, (flags & 16) != 0, stored));
    sizes_.push_back(sizes);
  }

  int32_t integer() { return static_cast<int32_t>(source_.number()); }
  bool flag() { return (source_.byte() & 1) != 0; }
  Padding padding() { return static_cast<Padding>(source_.below(2)); }
  Activation activation() { return static_cast<Activation>(source_.below(6)); }

  // Options of this type; none if the type is unknown.
  fb::Offset<void> options(BuiltinOptions type) {
    // C++ may evaluate arguments in any order, so decisions are read before the call.
    const Padding pad = padding();
    const Activation act = activation();
    const std::array<int32_t, 6> n{integer(), integer(), integer(), integer(), integer(), integer()};
    switch (type) {
      case BuiltinOptions_Conv2DOptions:
        return CreateConv2DOptions(builder_, pad, n[0], n[1], act, n[2], n[3]).Union();
      case BuiltinOptions_DepthwiseConv2DOptions:
        return CreateDepthwiseConv2DOptions(builder_, pad, n[0], n[1], n[4], act, n[2], n[3]).Union();
      case BuiltinOptions_Pool2DOptions:
        return CreatePool2DOptions(builder_, pad, n[0], n[1], n[2], n[3], act).Union();
      case BuiltinOptions_FullyConnectedOptions:
        return CreateFullyConnectedOptions(builder_, act, static_cast<WeightsFormat>(n[0] & 1), (n[1] & 1) != 0).Union();
      case BuiltinOptions_SoftmaxOptions:
        return CreateSoftmaxOptions(builder_, static_cast<float>(n[0])).Union();
      case BuiltinOptions_ConcatenationOptions:
        return CreateConcatenationOptions(builder_, n[0], act).Union();
      case BuiltinOptions_AddOptions:
        return CreateAddOptions(builder_, act).Union();
      case BuiltinOptions_ResizeBilinearOptions:
        return CreateResizeBilinearOptions(builder_, (n[0] & 1) != 0, (n[1] & 1) != 0).Union();
      case BuiltinOptions_ReshapeOptions: {
        const auto shape = builder_.CreateVector(n.data(), static_cast<size_t>(n[5] & 3));
        return CreateReshapeOptions(builder_, shape).Union();
      }
      case BuiltinOptions_MulOptions:
        return CreateMulOptions(builder_, act).Union();
      case BuiltinOptions_ReducerOptions:
        return CreateReducerOptions(builder_, (n[0] & 1) != 0).Union();
      case BuiltinOptions_SubOptions:
        return CreateSubOptions(builder_, act).Union();
      case BuiltinOptions_DivOptions:
        return CreateDivOptions(builder_, act).Union();
      case BuiltinOptions_SqueezeOptions: {
        const auto dims = builder_.CreateVector(n.data(), static_cast<size_t>(n[5] & 3));
        return CreateSqueezeOptions(builder_, dims).Union();
      }
      case BuiltinOptions_StridedSliceOptions:
        return CreateStridedSliceOptions(builder_, n[0], n[1], n[2], n[3], n[4]).Union();
      case BuiltinOptions_TransposeConvOptions:
        return CreateTransposeConvOptions(builder_, pad, n[0], n[1], act).Union();
      case BuiltinOptions_PackOptions:
        return CreatePackOptions(builder_, n[0], n[1]).Union();
      case BuiltinOptions_UnpackOptions:
        return CreateUnpackOptions(builder_, n[0], n[1]).Union();
      case BuiltinOptions_UnidirectionalSequenceLSTMOptions:
        return CreateUnidirectionalSequenceLSTMOptions(builder_, act, static_cast<float>(n[0]), static_cast<float>(n[1]),
                                                       (n[2] & 1) != 0)
            .Union();
      case BuiltinOptions_ResizeNearestNeighborOptions:
        return CreateResizeNearestNeighborOptions(builder_, (n[0] & 1) != 0, (n[1] & 1) != 0).Union();
      case BuiltinOptions_DepthToSpaceOptions:
        return CreateDepthToSpaceOptions(builder_, n[0]).Union();
      default:
        return newer_options(type, act, n);
    }
  }

  fb::Offset<void> newer_options(BuiltinOptions type, Activation act, const std::array<int32_t, 6>& n) {
    const auto is = [&](size_t i) { return (n[i] & 1) != 0; };
    const auto number = [&](size_t i) { return static_cast<float>(n[i]); };
    switch (type) {
      case BuiltinOptions_LSHProjectionOptions:
        return CreateLSHProjectionOptions(builder_, static_cast<LshType>(n[0] & 3)).Union();
      case BuiltinOptions_SVDFOptions:
        return CreateSVDFOptions(builder_, n[0], act).Union();
      case BuiltinOptions_RNNOptions:
        return CreateRNNOptions(builder_, act).Union();
      case BuiltinOptions_L2NormOptions:
        return CreateL2NormOptions(builder_, act).Union();
      case BuiltinOptions_LocalResponseNormalizationOptions:
        return CreateLocalResponseNormalizationOptions(builder_, n[0], number(1), number(2), number(3)).Union();
      case BuiltinOptions_LSTMOptions:
        return CreateLSTMOptions(builder_, act, number(0), number(1), is(2) ? LstmKernel_BASIC : LstmKernel_FULL).Union();
      case BuiltinOptions_SpaceToDepthOptions:
        return CreateSpaceToDepthOptions(builder_, n[0]).Union();
      case BuiltinOptions_GatherOptions:
        return CreateGatherOptions(builder_, n[0], n[1] & 1).Union();
      case BuiltinOptions_SequenceRNNOptions:
        return CreateSequenceRNNOptions(builder_, is(0), act).Union();
      case BuiltinOptions_SplitOptions:
        return CreateSplitOptions(builder_, n[0]).Union();
      case BuiltinOptions_SplitVOptions:
        return CreateSplitVOptions(builder_, n[0]).Union();
      case BuiltinOptions_BidirectionalSequenceLSTMOptions:
        return CreateBidirectionalSequenceLSTMOptions(builder_, act, number(0), number(1), is(2), is(3)).Union();
      case BuiltinOptions_BidirectionalSequenceRNNOptions:
        return CreateBidirectionalSequenceRNNOptions(builder_, is(0), act, is(1)).Union();
      case BuiltinOptions_LeakyReluOptions:
        return CreateLeakyReluOptions(builder_, number(0)).Union();
      case BuiltinOptions_MirrorPadOptions:
        return CreateMirrorPadOptions(builder_, is(0) ? MirrorPadMode_SYMMETRIC : MirrorPadMode_REFLECT).Union();
      case BuiltinOptions_IfOptions:
        return CreateIfOptions(builder_, n[0], n[1]).Union();
      case BuiltinOptions_WhileOptions:
        return CreateWhileOptions(builder_, n[0], n[1]).Union();
      case BuiltinOptions_BatchMatMulOptions:
        return CreateBatchMatMulOptions(builder_, is(0), is(1)).Union();
      case BuiltinOptions_GeluOptions:
        return CreateGeluOptions(builder_, is(0)).Union();
      default:
        return 0;
    }
  }

  void add_operator() {
    const std::span codes = EnumValuesBuiltinOperator();
    const BuiltinOperator code = codes[source_.below(static_cast<uint32_t>(codes.size()))];
    const std::span kinds = EnumValuesBuiltinOptions();
    const BuiltinOptions kind = kinds[source_.below(static_cast<uint32_t>(kinds.size()))];
    const auto chosen = options(kind);
    const auto inputs = indexes(24, true);
    const auto outputs = indexes(4, false);
    fb::Offset<fb::String> name;
    fb::Offset<fb::Vector<uint8_t>> custom;
    if (code == BuiltinOperator_CUSTOM) {
      name = builder_.CreateString(kCustomNames[source_.below(std::size(kCustomNames))]);
      std::vector<uint8_t> data(source_.byte());
      for (uint8_t& byte : data) byte = source_.byte();
      custom = builder_.CreateVector(data);
    }
    const auto small = static_cast<int8_t>(std::min<int32_t>(code, BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES));
    operators_.push_back(CreateOperator(builder_, static_cast<uint32_t>(codes_.size()), inputs, outputs,
                                        chosen.IsNull() ? BuiltinOptions_NONE : kind, chosen, custom));
    codes_.push_back(CreateOperatorCode(builder_, small, name, 1, code));
  }

  ByteSource& source_;
  fb::FlatBufferBuilder builder_;
  std::vector<TensorSizes> sizes_;
  std::vector<fb::Offset<Buffer>> buffers_;
  std::vector<fb::Offset<Tensor>> tensors_;
  std::vector<fb::Offset<OperatorCode>> codes_;
  std::vector<fb::Offset<Operator>> operators_;
};

// The index in EnumValuesBuiltinOptions() of an operator's options: those with its name, else the ones that several share.
size_t kind_of(BuiltinOperator code) {
  const auto plain = [](std::string text) {
    std::erase(text, '_');
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  std::string wanted = plain(EnumNameBuiltinOperator(code)) + "options";
  if (code == BuiltinOperator_MEAN) wanted = "reduceroptions";
  if (code == BuiltinOperator_SUM || plain(EnumNameBuiltinOperator(code)).starts_with("reduce")) wanted = "reduceroptions";
  if (plain(EnumNameBuiltinOperator(code)).ends_with("pool2d")) wanted = "pool2doptions";
  if (code == BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN) wanted = "sequencernnoptions";
  if (code == BuiltinOperator_L2_NORMALIZATION) wanted = "l2normoptions";
  const std::span kinds = EnumValuesBuiltinOptions();
  const auto found =
      std::ranges::find_if(kinds, [&](BuiltinOptions kind) { return plain(EnumNameBuiltinOptions(kind)) == wanted; });
  return found == kinds.end() ? 0 : static_cast<size_t>(found - kinds.begin());
}

// Decisions for a tensor {1, 4, 4, 4}; of `constant` ones with some data.
void put_tensor(ByteSink& sink, TensorType type, bool constant) {
  sink.byte(static_cast<size_t>(type));
  sink.byte(4);
  for (const uint32_t d : {1U, 4U, 4U, 4U}) sink.number(d);
  const bool quantized = type == TensorType_UINT8 || type == TensorType_INT8;
  sink.byte((quantized ? 5U : 0U) | (constant ? 8U : 0U));
  if (quantized) {
    sink.value(0.5F);
    sink.byte(3);
  }
  if (constant) {
    sink.byte(4);
    for (const size_t byte : {1U, 0U, 0U, 0U}) sink.byte(byte);
  }
}

}  // namespace

Input tflite_file(ByteSource& source) { return FileMaker(source).make(); }

std::vector<Input> tflite_recipes() {
  const std::span codes = EnumValuesBuiltinOperator();
  std::vector<Input> recipes;
  for (size_t code = 0; code < codes.size(); ++code) {
    for (const TensorType type : {TensorType_FLOAT32, TensorType_INT8}) {
      ByteSink sink;
      sink.byte(4);  // 5 tensors: input, constant, bias, integers, output
      put_tensor(sink, type, false);
      put_tensor(sink, type, true);
      put_tensor(sink, TensorType_INT32, true);
      put_tensor(sink, TensorType_INT32, true);
      put_tensor(sink, type, false);
      sink.byte(0);  // 1 operator
      sink.byte(code);
      sink.byte(kind_of(codes[code]));
      sink.byte(0);
      sink.byte(0);
      for (int i = 0; i < 6; ++i) sink.number(1);
      sink.byte(3);
      for (const size_t index : {0U, 1U, 2U}) sink.byte(index);
      sink.byte(1);
      sink.byte(4);
      if (codes[code] == BuiltinOperator_CUSTOM) {
        sink.byte(0);
        sink.byte(0);
      }
      sink.byte(1);
      sink.byte(0);
      sink.byte(1);
      sink.byte(4);
      recipes.push_back(sink.take());
    }
  }
  return recipes;
}

}  // namespace nnvk::fuzz
