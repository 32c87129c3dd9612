// Models of one operator, with what it is to compute.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/importers/tflite/model_file.h"

namespace nnvk::test {

using OptionsMaker = std::function<FileOptions(flatbuffers::FlatBufferBuilder&)>;

struct OperatorCase {
  std::string name;  // after the operator's: "WithBroadcast"
  format::BuiltinOperator code;
  std::vector<FileTensor> inputs;  // a tensor without shape and values is an omitted input
  std::vector<FileTensor> outputs;
  OptionsMaker options = {};
  float tolerance = 1e-5F;  // of real results, relative for those above 1
};

// All cases, of every family.
const std::vector<OperatorCase>& operator_cases();

std::vector<OperatorCase> arithmetic_cases();
std::vector<OperatorCase> unary_cases();
std::vector<OperatorCase> layer_cases();
std::vector<OperatorCase> picture_cases();
std::vector<OperatorCase> shape_cases();
std::vector<OperatorCase> slicing_cases();
std::vector<OperatorCase> lookup_cases();
std::vector<OperatorCase> comparison_cases();
std::vector<OperatorCase> recurrent_cases();

// The file of a case.
std::vector<uint8_t> file_of(const OperatorCase& one);

template <class Table>
format::BuiltinOptions type_of(flatbuffers::Offset<Table> /*table*/) {
  return format::BuiltinOptionsTraits<Table>::enum_value;
}

// The options `Create...Options` makes: made([](auto& b) { return format::CreateSoftmaxOptions(b, 1.0F); }).
template <class Make>
OptionsMaker made(Make make) {
  return [make](flatbuffers::FlatBufferBuilder& builder) {
    const auto table = make(builder);
    return FileOptions{type_of(table), table.Union()};
  };
}

// Tensors of a case.
FileTensor real(std::vector<int32_t> shape, std::vector<float> values);
FileTensor whole(std::vector<int32_t> shape, std::vector<float> values);                                       // INT32
FileTensor mask(std::vector<int32_t> shape, std::vector<float> values);                                        // BOOL
FileTensor quantized(std::vector<int32_t> shape, std::vector<float> values, float scale, int64_t zero_point);  // INT8
FileTensor fixed(FileTensor tensor);                                                                           // a constant
// As real(), with values that are `scale` times small integers, different for each seed.
FileTensor made_up(std::vector<int32_t> shape, int seed, float scale = 0.25F);
inline const FileTensor kOmitted{};
// Whether an execution gives the tensor its values: it is no constant, no state and not omitted.
bool is_given(const FileTensor& tensor);

// Runs a model on a device: inputs and outputs as bytes. A failure of the test, and no outputs, if that is not possible.
std::vector<std::vector<uint8_t>> outputs_on(const std::string& device, const std::vector<uint8_t>& file,
                                             const std::vector<std::vector<uint8_t>>& inputs);
// Compares the results on the CPU devices with the values of `outputs`.
void expect_computes(const std::vector<uint8_t>& file, const std::vector<FileTensor>& inputs,
                     const std::vector<FileTensor>& outputs, float tolerance = 1e-5F);
// The error of importing a file, of compiling it for the CPU or of running it on zeros; empty if there is none.
std::string error_of(const std::vector<uint8_t>& file);

}  // namespace nnvk::test
