// Every operator that the importer translates, alone in a model: the delegate against TensorFlow Lite's own operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "importers/tflite/operator_names.h"
#include "tests/clients/tflite_delegate/runtime/comparison.h"
#include "tests/clients/tflite_delegate/runtime/stock_interpreter.h"
#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

void fill(StockInterpreter& interpreter, const OperatorCase& one) {
  int index = 0;
  for (const FileTensor& tensor : one.inputs) {
    if (!is_given(tensor)) continue;
    const std::vector<uint8_t> bytes = encoded(tensor);
    ASSERT_EQ(interpreter.input(index).bytes, bytes.size());
    std::memcpy(interpreter.input(index++).data.raw, bytes.data(), bytes.size());
  }
}

// Cases in which TensorFlow Lite 2.9 computes something else than its format describes, so that it says nothing about the
// delegate.
const std::map<std::string, std::string> kStockDiffers{
    {"MULWithTanh", "it ignores a fused TANH"},
    {"MAXIMUMOfSteps", "it compares integers of different scales"},
    {"MINIMUMOfSteps", "it compares integers of different scales"},
    {"RESHAPEOfStepsToOthers", "it keeps the integers although the scale changes"},
    {"CONV_2DOfRealsWithHalves", "it reads float16 weights as float32"},
    {"FULLY_CONNECTEDOfStepsPerChannel", "it uses the first channel's scale for all"},
    {"REVERSE_V2AlongTwoAxes", "it reverses one axis"},
    {"EMBEDDING_LOOKUPOfRealsInBytes", "it ignores the zero point"},
    {"STRIDED_SLICEWithLengths", "it has no lengths yet"}};

// TensorFlow Lite quantizes the data of layers with 8-bit weights and real data. nnvk computes real numbers.
constexpr double kToleranceWithBytes = 0.01;

class DelegatedOperator : public testing::TestWithParam<std::tuple<size_t, const char*>> {};

std::string case_name(const OperatorCase& one) { return importers::tflite::builtin_operator_name(one.code) + one.name; }

std::string name_of(const testing::TestParamInfo<std::tuple<size_t, const char*>>& info) {
  std::string name = case_name(operator_cases()[std::get<0>(info.param)]) + "_on_" + std::get<1>(info.param);
  std::ranges::replace(name, '-', '_');
  return name;
}

TEST_P(DelegatedOperator, ComputesWhatTheInterpreterComputes) {
  const OperatorCase& one = operator_cases()[std::get<0>(GetParam())];
  const auto differs = kStockDiffers.find(case_name(one));
  if (differs != kStockDiffers.end()) GTEST_SKIP() << "TensorFlow Lite: " << differs->second;
  if (std::string(std::get<1>(GetParam())) == "vulkan" && !tests_everything()) {
    GTEST_SKIP() << "minutes on software Vulkan: set NNVK_TEST_EVERYTHING";
  }
  const std::vector<uint8_t> file = file_of(one);
  StockInterpreter expected(file, nullptr);
  if (!expected.made() || !expected.allocate()) GTEST_SKIP() << "TensorFlow Lite cannot run it: " << expected.errors();
  testing::internal::CaptureStderr();
  const PluginDelegate delegate({{"device", std::get<1>(GetParam())}, {"min_nodes", "1"}, {"explain", "1"}});
  const auto own = delegate.get() == nullptr ? nullptr : std::make_unique<StockInterpreter>(file, delegate.get());
  const std::string report = testing::internal::GetCapturedStderr();
  if (own == nullptr) GTEST_SKIP() << PluginDelegate::last_error();
  ASSERT_TRUE(own->made() && own->allocate()) << own->errors();
  // Vulkan devices lack some operations. The interpreter keeps those.
  if (std::string(std::get<1>(GetParam())) == "nnvk-cpu") {
    EXPECT_THAT(report, HasSubstr("takes 1 of 1"));
  }
  const double tolerance = one.name == "OfRealsWithBytes" ? kToleranceWithBytes : std::max<double>(one.tolerance, 1e-5);
  // Twice, so that states matter.
  for (int times = 0; times < 2; ++times) {
    fill(*own, one);
    fill(expected, one);
    if (!expected.invoke()) GTEST_SKIP() << "TensorFlow Lite cannot run it: " << expected.errors();
    ASSERT_TRUE(own->invoke()) << own->errors();
    ASSERT_EQ(own->outputs(), expected.outputs());
    for (int i = 0; i < own->outputs(); ++i) {
      EXPECT_EQ(shape_of(own->output(i)), shape_of(expected.output(i)));
      const Difference difference = compare(own->output(i), expected.output(i), tolerance);
      EXPECT_EQ(difference.beyond, 0u) << "execution " << times << ", output " << i << ": worst difference " << difference.worst;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DelegatedOperator,
                         testing::Combine(testing::Range<size_t>(0, operator_cases().size()),
                                          testing::Values("nnvk-cpu", "vulkan")),
                         name_of);

}  // namespace
}  // namespace nnvk::test
