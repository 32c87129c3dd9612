// Wrong use of extensions: the rows of the misuse table that need a device with an extension, which tests/api lacks.
#include <nnvk/diagnostics.h>
#include <sys/mman.h>

#include "tests/api/extension/extension_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {

// The other rows have their tests in tests/api.
bool owns_rows_of(const std::string&) { return false; }
const char* last_refusal() { return nnvk_lastError(); }

namespace {

int add_operand(int32_t type, std::vector<uint32_t> dims = {}, float scale = 0.0F, int32_t zero_point = 0) {
  const ModelBuilder builder;
  return ANeuralNetworksModel_addOperand(builder.get(), TypeOf(type, std::move(dims), scale, zero_point).get());
}

TEST(ExtensionMisuse, Operands) {
  const int32_t fixed16 = fixed16_type();
  const int32_t factor = factor_type();
  ModelBuilder model;
  model.operand(fixed16, {2});
  const float scales[] = {1.0F, 1.0F};
  const ANeuralNetworksSymmPerChannelQuantParams channels{0, 2, scales};
  check_cases({
      {0, "tensor", kOk, NNVK_CALL(add_operand(fixed16, {2}))},
      {0, "scalar", kOk, NNVK_CALL(add_operand(factor))},
      {67, "unknown type of a known extension", kBadData, NNVK_CALL(add_operand(extension_type(kTestExtension, kFactor + 1)))},
      {123, "tensor with a scale", kBadData, NNVK_CALL(add_operand(fixed16, {2}, 1.0F))},
      {0, "tensor with a zero point", kBadData, NNVK_CALL(add_operand(fixed16, {2}, 0.0F, 1))},
      {124, "scalar with dimensions", kBadData, NNVK_CALL(add_operand(factor, {1}))},
      {184, "channel scales", kBadData,
       NNVK_CALL(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 0, &channels))},
      {303, "no data", kOk, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, nullptr, 0))},
      {300, "data of length 0", kBadData, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, scales, 0))},
      {299, "NULL with a length", kNull, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, nullptr, 4))},
      {301, "index", kBadData, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(model.get(), 1, scales, 4))},
      {0, "disputed type", kBadData, NNVK_CALL(add_operand(extension_type(kDisputedExtension, kDisputedType), {2}))},
      {0, "disputed type as a scalar", kBadData, NNVK_CALL(add_operand(extension_type(kDisputedExtension, kDisputedType)))},
  });
  const ModelBuilder done = make_scaled_sum({4});
  check_cases(
      {{304, "finished model", kBadState, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(done.get(), 4, scales, 4))}});
}

TEST(ExtensionMisuse, SizesBeyondFourGigabytes) {
  const int32_t fixed16 = fixed16_type();
  check_cases({
      {0, "2^32 bytes", kBadData, NNVK_CALL(add_operand(fixed16, {65536, 32768}))},
      {0, "2^64 bytes", kBadData, NNVK_CALL(add_operand(fixed16, {0x80000000U, 0xFFFFFFFFU, 0xFFFFFFFFU}))},
      {0, "2^32 - 2 bytes", kOk, NNVK_CALL(add_operand(fixed16, {0x7FFFFFFFU}))},
      {0, "unknown dimensions count as one", kOk, NNVK_CALL(add_operand(fixed16, {0, 0x7FFFFFFFU, 0}))},
  });
  // Elements of a client's type may be smaller than the model's: the bytes are those of the model's type.
  ModelBuilder model;
  const uint32_t x = model.operand(fixed16, {0});
  const uint32_t y = model.operand(fixed16, {0});
  const uint32_t factor = factor_operand(model, 1);
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {x, factor}, {y}), kOk);
  model.finish({x}, {y});
  const CompilationPointer compilation = compiled_on(model.get(), extension_device());
  const TypeOf bytes(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {0xFFFFFFFEU}, 1.0F);
  std::array<int16_t, 4> data{};
  const ExecutionPointer e = make_execution(compilation.get());
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), true), kOk);
  check_cases({
      {0, "input", kBadData, NNVK_CALL(set_input(e, 0, {data, bytes.get()}))},
      {0, "output", kBadData, NNVK_CALL(set_output(e, 0, {data, bytes.get()}))},
  });
}

TEST(ExtensionMisuse, ModelsOfControlFlowNeedTheSameBlobs) {
  const ModelBuilder three = make_to_float(3);
  const ModelBuilder four = make_to_float(4);
  const auto use = [](const ModelBuilder& then_model, const ModelBuilder& else_model) {
    ModelBuilder model;
    const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    const uint32_t a = model.reference(then_model);
    const uint32_t b = model.reference(else_model);
    const uint32_t x = fixed16_operand(model, {2}, 3);
    const uint32_t y = model.operand(kFloat, {2});
    return model.operation(ANEURALNETWORKS_IF, {condition, a, b, x}, {y});
  };
  check_cases({
      {0, "the same", kOk, NNVK_CALL(use(three, three))},
      {0, "another in one branch", kBadData, NNVK_CALL(use(three, four))},
  });
}

TEST(ExtensionMisuse, Attributes) {
  const ModelBuilder model = make_scaled_sum({4});
  const CompilationPointer one = compile_for(model.get(), extension_device());
  const CompilationPointer automatic = compile_for_all(model.get());
  const CompilationPointer done = compiled_on(model.get(), extension_device());
  const CompilationPointer two = compile_for(model.get(), {extension_device(), cpu_device()});
  const float value = 1;
  const auto add = [&](const CompilationPointer& to, const char* name, uint16_t code) {
    return ANeuralNetworksCompilation_addExtensionAttribute(to.get(), name, code, &value, sizeof value);
  };
  check_cases({
      {353, "extension NULL", kNull, NNVK_CALL(add(one, nullptr, kGain))},
      {356, "no chosen device", kBadData, NNVK_CALL(add(automatic, kTestExtension, kGain))},
      {357, "two devices", kBadData, NNVK_CALL(add(two, kTestExtension, kGain))},
      {358, "finished", kBadState, NNVK_CALL(add(done, kTestExtension, kGain))},
      {0, "attribute", kOk, NNVK_CALL(add(one, kTestExtension, kGain))},
      {359, "again", kBadData, NNVK_CALL(add(one, kTestExtension, kGain))},
      {360, "of another extension", kOk, NNVK_CALL(add(one, "com.example.other", kGain))},
  });
  EXPECT_EQ(ANeuralNetworksCompilation_finish(one.get()), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(two.get()), kOk);
  const auto add_to = [&](const ExecutionPointer& to, const char* name, uint16_t code) {
    return ANeuralNetworksExecution_addExtensionAttribute(to.get(), name, code, &value, sizeof value);
  };
  ScaledSum sum;
  const ExecutionPointer chosen = sum.bind(one);
  const ExecutionPointer shared = sum.bind(two);
  check_cases({
      {560, "extension NULL", kNull, NNVK_CALL(add_to(chosen, nullptr, kOffset))},
      {563, "two devices", kBadData, NNVK_CALL(add_to(shared, kTestExtension, kOffset))},
      {0, "attribute", kOk, NNVK_CALL(add_to(chosen, kTestExtension, kOffset))},
      {565, "again", kBadData, NNVK_CALL(add_to(chosen, kTestExtension, kOffset))},
      {0, "compute", kOk, NNVK_CALL(ANeuralNetworksExecution_compute(chosen.get()))},
      {564, "after compute", kBadState, NNVK_CALL(add_to(chosen, kTestExtension, kOffset + 1))},
  });
}

TEST(ExtensionMisuse, Devices) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const bool has = device == extension_device() || device == scaling_device();
    const auto supports = [&](const char* name) {
      bool answer = !has;
      EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, name, &answer), kOk);
      return answer;
    };
    EXPECT_EQ(supports(kTestExtension), has);
    EXPECT_EQ(supports(kDisputedExtension), has) << "listed, though its types are unknown";
    for (const char* name : {"nnvk.tes", "nnvk.test.", "NNVK.TEST", "nnvk", "", " "}) EXPECT_FALSE(supports(name)) << name;
  }
}

}  // namespace
}  // namespace nnvk::test
