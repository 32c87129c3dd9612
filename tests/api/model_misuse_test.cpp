// Wrong operations, inputs and outputs, and wrong use of whole models and of extensions.
#include "core/operations/operation_code.h"
#include "core/operations/operation_enumerators.h"
#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

TEST(ModelMisuse, CreateAndFree) {
  ANeuralNetworksModel* model = nullptr;
  check_cases({
      {51, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_create(nullptr))},
      {52, "create", kOk, NNVK_CALL(ANeuralNetworksModel_create(&model))},
      {54, "free NULL", kOk, NNVK_CALL((ANeuralNetworksModel_free(nullptr), kOk))},
      {55, "free unfinished", kOk, NNVK_CALL((ANeuralNetworksModel_free(model), kOk))},
      {56, "free invalid", kOk, NNVK_CALL((invalid_model(), kOk))},
  });
}

TEST(ModelMisuse, AddOperation) {
  const uint32_t some[] = {0, 1, 2, 3};
  const auto raw = [](uint32_t in_count, const uint32_t* in, uint32_t out_count, const uint32_t* out) {
    ModelBuilder builder;
    for (int i = 0; i < 4; ++i) builder.operand(kFloat, {2});
    return ANeuralNetworksModel_addOperation(builder.get(), ANEURALNETWORKS_ADD, in_count, in, out_count, out);
  };
  // ADD over operands of these types: x, y, activation, z.
  const auto add = [](std::array<int32_t, 4> types, int32_t code, std::vector<uint32_t> in, std::vector<uint32_t> out) {
    ModelBuilder builder;
    for (const int32_t type : types) {
      const bool tensor = type == kFloat || type == kQuant;
      builder.operand(type, tensor ? std::vector<uint32_t>{2} : std::vector<uint32_t>{}, type == kQuant ? 1.0F : 0.0F);
    }
    return builder.operation(code, in, out);
  };
  constexpr int32_t kInt = ANEURALNETWORKS_INT32;
  check_cases({
      {195, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_addOperation(nullptr, 0, 3, some, 1, some))},
      {196, "inputs NULL", kNull, NNVK_CALL(raw(2, nullptr, 1, some))},
      {197, "inputs NULL, count 0", kNull, NNVK_CALL(raw(0, nullptr, 1, some))},
      {198, "outputs NULL", kNull, NNVK_CALL(raw(3, some, 1, nullptr))},
      {199, "outputs NULL, count 0", kNull, NNVK_CALL(raw(3, some, 0, nullptr))},
      {200, "inputCount 0", kBadData, NNVK_CALL(raw(0, some, 1, some))},
      {201, "outputCount 0", kBadData, NNVK_CALL(raw(3, some, 0, some))},
      {202, "finished", kBadState, NNVK_CALL(make_add({2}).operation(0, {0, 1, 2}, {3}))},
      {203, "invalid", kBadState, NNVK_CALL(invalid_model().operation(0, {0, 1, 2}, {3}))},
      {204, "type -1", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, -1, {0, 1, 2}, {3}))},
      {205, "type one too high", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, kOperationCount, {0, 1, 2}, {3}))},
      {206, "type 20000", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 20000, {0, 1, 2}, {3}))},
      {207, "input index", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0, {0, 4, 2}, {3}))},
      {208, "output index", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1, 2}, {4}))},
      {209, "2 inputs", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1}, {3}))},
      {210, "4 inputs", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1, 2, 2}, {3}))},
      {211, "2 outputs", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1, 2}, {3, 0}))},
      {212, "mixed types", kBadData, NNVK_CALL(add({kFloat, kQuant, kInt, kFloat}, 0, {0, 1, 2}, {3}))},
      {213, "output type differs", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kQuant}, 0, {0, 1, 2}, {3}))},
      {214, "activation is FLOAT32", kBadData,
       NNVK_CALL(add({kFloat, kFloat, ANEURALNETWORKS_FLOAT32, kFloat}, 0, {0, 1, 2}, {3}))},
      {216, "same operand twice as input", kOk, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0, {0, 0, 2}, {3}))},
      {217, "unknown prefix", kBadData, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 0x7fff0001, {0, 1, 2}, {3}))},
      {218, "extension of no device", kOk,
       NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, extension_type("com.example.nobody", 3), {0, 1, 2}, {3}))},
      {219, "OEM_OPERATION", kOk, NNVK_CALL(add({kFloat, kFloat, kInt, kFloat}, 10000, {0}, {3}))},
      {215, "activation value 999", kOk, NNVK_CALL((make_add({2}, 999), kOk))},
  });
}

TEST(ModelMisuse, IdentifyInputsAndOutputs) {
  const uint32_t some[] = {0};
  // Operands: 0, 1 float tensors, 2 constant, 3 omitted.
  const auto identify = [](std::vector<uint32_t> in, std::vector<uint32_t> out) {
    ModelBuilder builder;
    builder.operand(kFloat, {2});
    builder.operand(kFloat, {2});
    builder.constant(0);
    builder.operand(kFloat, {2});
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(builder.get(), 3, nullptr, 0), kOk);
    return builder.identify(in, out);
  };
  const auto raw = [](uint32_t in_count, const uint32_t* in, uint32_t out_count, const uint32_t* out) {
    ModelBuilder builder;
    builder.operand(kFloat, {2});
    return ANeuralNetworksModel_identifyInputsAndOutputs(builder.get(), in_count, in, out_count, out);
  };
  check_cases({
      {235, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_identifyInputsAndOutputs(nullptr, 1, some, 1, some))},
      {236, "inputs NULL", kNull, NNVK_CALL(raw(1, nullptr, 1, some))},
      {237, "outputs NULL", kNull, NNVK_CALL(raw(1, some, 1, nullptr))},
      {238, "inputs NULL, 0", kNull, NNVK_CALL(raw(0, nullptr, 1, some))},
      {239, "inputCount 0", kBadData, NNVK_CALL(raw(0, some, 1, some))},
      {240, "outputCount 0", kBadData, NNVK_CALL(raw(1, some, 0, some))},
      {241, "input index", kBadData, NNVK_CALL(identify({4}, {1}))},
      {242, "output index", kBadData, NNVK_CALL(identify({0}, {4}))},
      {243, "twice among inputs", kBadData, NNVK_CALL(identify({0, 0}, {1}))},
      {244, "twice among outputs", kBadData, NNVK_CALL(identify({0}, {1, 1}))},
      {245, "input and output", kBadData, NNVK_CALL(identify({0}, {0}))},
      {246, "constant", kBadData, NNVK_CALL(identify({2}, {1}))},
      {247, "omitted", kBadData, NNVK_CALL(identify({3}, {1}))},
      {248, "again, the same operands", kBadData,
       [] {
         ModelBuilder builder;
         for (int i = 0; i < 2; ++i) builder.operand(kFloat, {2});
         EXPECT_EQ(builder.identify({0}, {1}), kOk);
         return builder.identify({0}, {1});
       }},
      {249, "again, other operands", kOk,
       [] {
         ModelBuilder builder;
         for (int i = 0; i < 4; ++i) builder.operand(kFloat, {2});
         EXPECT_EQ(builder.operation(ANEURALNETWORKS_RELU, {0}, {1}), kOk);
         EXPECT_EQ(builder.operation(ANEURALNETWORKS_RELU, {2}, {3}), kOk);
         EXPECT_EQ(builder.identify({0}, {1}), kOk);
         const int result = builder.identify({2}, {3});
         EXPECT_EQ(builder.finish(), kBadData);
         return result;
       }},
      {250, "finished", kBadState, NNVK_CALL(make_add({2}).identify({0}, {3}))},
      {251, "invalid", kBadState, NNVK_CALL(invalid_model().identify({0}, {3}))},
      {252, "relax NULL", kNull, NNVK_CALL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true))},
      {253, "relax finished", kBadState,
       NNVK_CALL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(make_add({2}).get(), true))},
      {254, "relax invalid", kBadState,
       NNVK_CALL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(invalid_model().get(), true))},
      {255, "relax", kOk, NNVK_CALL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(ModelBuilder().get(), true))},
  });
}

using Change = std::function<void(ModelBuilder&, uint32_t x, uint32_t y)>;

// Finishes x -> RELU -> y after `change`, which makes one change and sets the inputs and outputs.
std::function<int()> unidentified_relu_with(const Change& change) {
  return [change] {
    ModelBuilder builder;
    const uint32_t x = builder.operand(kFloat, {2});
    const uint32_t y = builder.operand(kFloat, {2});
    EXPECT_EQ(builder.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
    change(builder, x, y);
    return builder.finish();
  };
}

// Finishes x -> RELU -> y after `change`, with x as the input and y as the output.
std::function<int()> relu_with(const Change& change) {
  return unidentified_relu_with([change](ModelBuilder& builder, uint32_t x, uint32_t y) {
    EXPECT_EQ(builder.identify({x}, {y}), kOk);
    change(builder, x, y);
  });
}

TEST(ModelMisuse, Finish) {
  static const std::array<float, 2> value{};
  const ModelBuilder referenced = make_add({2});
  const MemoryPointer executable = make_memory(8, PROT_READ | PROT_EXEC);
  check_cases({
      {256, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_finish(nullptr))},
      {257, "after success", kBadState, NNVK_CALL(make_add({2}).finish())},
      {258, "after BAD_DATA", kBadState, NNVK_CALL(invalid_model().finish())},
      {259, "empty", kBadData, NNVK_CALL(ModelBuilder().finish())},
      {260, "no operation", kBadData,
       [] {
         ModelBuilder builder;
         builder.operand(kFloat, {2});
         return builder.finish();
       }},
      {261, "reads its own output", kBadData,
       [] {
         ModelBuilder builder;
         const uint32_t x = builder.operand(kFloat, {2});
         EXPECT_EQ(builder.operation(ANEURALNETWORKS_RELU, {x}, {x}), kOk);
         return builder.finish();
       }},
      {262, "two operations in a circle", kBadData, relu_with([](ModelBuilder& b, uint32_t, uint32_t) {
         const uint32_t there = b.operand(kFloat, {2});
         const uint32_t back = b.operand(kFloat, {2});
         EXPECT_EQ(b.operation(ANEURALNETWORKS_RELU, {there}, {back}), kOk);
         EXPECT_EQ(b.operation(ANEURALNETWORKS_RELU, {back}, {there}), kOk);
       })},
      {263, "reads what nobody writes", kBadData, relu_with([](ModelBuilder& b, uint32_t, uint32_t) {
         const uint32_t nobody = b.operand(kFloat, {2});
         const uint32_t result = b.operand(kFloat, {2});
         EXPECT_EQ(b.operation(ANEURALNETWORKS_RELU, {nobody}, {result}), kOk);
       })},
      {264, "unused temporary", kBadData, relu_with([](ModelBuilder& b, uint32_t, uint32_t) { b.operand(kFloat, {2}); })},
      {265, "an output that nobody writes", kBadData, unidentified_relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) {
         EXPECT_EQ(b.identify({x}, {y, b.operand(kFloat, {2})}), kOk);
       })},
      {268, "unused input", kOk, unidentified_relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) {
         EXPECT_EQ(b.identify({x, b.operand(kFloat, {2})}, {y}), kOk);
       })},
      {266, "unused constant", kOk, relu_with([](ModelBuilder& b, uint32_t, uint32_t) { b.constant(1); })},
      {267, "unused omitted", kOk, relu_with([](ModelBuilder& b, uint32_t, uint32_t) {
         const uint32_t o = b.operand(kFloat, {2});
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(o), nullptr, 0), kOk);
       })},
      {269, "written twice", kBadData,
       relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) { EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {x}, {y}), kOk); })},
      {270, "writes an input", kBadData,
       relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) { EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {y}, {x}), kOk); })},
      {271, "writes a constant", kBadData, relu_with([](ModelBuilder& b, uint32_t x, uint32_t) {
         const uint32_t c = b.operand(kFloat, {2});
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(c), value.data(), 8), kOk);
         EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {x}, {c}), kOk);
       })},
      {272, "in reverse order", kOk, unidentified_relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) {
         const uint32_t before = b.operand(kFloat, {2});
         EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {before}, {x}), kOk);
         EXPECT_EQ(b.identify({before}, {y}), kOk);
       })},
      {274, "MODEL as an input", kBadData, unidentified_relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) {
         b.identify({x, b.operand(ANEURALNETWORKS_MODEL)}, {y});
       })},
      {273, "MODEL without a value", kBadData,
       relu_with([](ModelBuilder& b, uint32_t, uint32_t) { b.operand(ANEURALNETWORKS_MODEL); })},
      {275, "FLOAT32 with a model value", kBadData, relu_with([&](ModelBuilder& b, uint32_t, uint32_t) {
         const auto f = static_cast<int32_t>(b.operand(ANEURALNETWORKS_FLOAT32));
         EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(b.get(), f, referenced.get()), kOk);
       })},
      {276, "per-channel without scales", kBadData, relu_with([](ModelBuilder& b, uint32_t, uint32_t) {
         const auto p = static_cast<int32_t>(b.operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}));
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), p, value.data(), 2), kOk);
       })},
      {277, "TENSOR_INT32 with zeroPoint", kBadData, relu_with([](ModelBuilder& b, uint32_t, uint32_t) {
         const auto p = static_cast<int32_t>(b.operand(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.0F, 1));
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), p, value.data(), 8), kOk);
       })},
      {278, "the same operand as two outputs", kBadData, relu_with([](ModelBuilder& b, uint32_t x, uint32_t) {
         const uint32_t axis = b.constant(0);
         const uint32_t count = b.constant(2);
         const uint32_t half = b.operand(kFloat, {1});
         EXPECT_EQ(b.operation(ANEURALNETWORKS_SPLIT, {x, axis, count}, {half, half}), kOk);
       })},
      {283, "an output that is read as well", kOk, unidentified_relu_with([](ModelBuilder& b, uint32_t x, uint32_t y) {
         const uint32_t z = b.operand(kFloat, {2});
         EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {y}, {z}), kOk);
         EXPECT_EQ(b.identify({x}, {y, z}), kOk);
       })},
      {279, "output made a constant", kBadData, relu_with([](ModelBuilder& b, uint32_t, uint32_t y) {
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(y), value.data(), 8), kOk);
       })},
      {0, "input made a constant", kBadData, relu_with([](ModelBuilder& b, uint32_t x, uint32_t) {
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(x), value.data(), 8), kOk);
       })},
      {281, "dead operation", kOk, relu_with([](ModelBuilder& b, uint32_t x, uint32_t) {
         const uint32_t dead = b.operand(kFloat, {2});
         EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {x}, {dead}), kOk);
       })},
      {282, "no inputs identified, all constant", kOk, unidentified_relu_with([](ModelBuilder& b, uint32_t x, uint32_t) {
         EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(x), value.data(), 8), kOk);
       })},
      {280, "constant memory with PROT_EXEC", kBadData, relu_with([&](ModelBuilder& b, uint32_t, uint32_t) {
         const auto c = static_cast<int32_t>(b.operand(kFloat, {2}));
         EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(b.get(), c, executable.get(), 0, 8), kOk);
       })},
      {0, "malformed extension name", kBadData, relu_with([](ModelBuilder& b, uint32_t x, uint32_t) {
         const uint32_t dead = b.operand(kFloat, {2});
         EXPECT_EQ(b.operation(extension_type("No Dots Here", 1), {x}, {dead}), kOk);
       })},
  });
}

TEST(ModelMisuse, Extensions) {
  int32_t type = 0;
  const auto get = [&](ANeuralNetworksModel* model, const char* name, int32_t* out) {
    return ANeuralNetworksModel_getExtensionOperandType(model, name, 1, out);
  };
  const auto get_operation = [&](ANeuralNetworksModel* model, const char* name, int32_t* out) {
    return ANeuralNetworksModel_getExtensionOperationType(model, name, 1, out);
  };
  ModelBuilder model;
  const uint8_t byte = 0;
  check_cases({
      {284, "model NULL", kNull, NNVK_CALL(get(nullptr, "a.b", &type))},
      {285, "name NULL", kNull, NNVK_CALL(get(model.get(), nullptr, &type))},
      {286, "type NULL", kNull, NNVK_CALL(get(model.get(), "a.b", nullptr))},
      {287, "unknown extension", kOk, NNVK_CALL(get(model.get(), "a.b", &type))},
      {288, "the same name again", kOk,
       [&] {
         const int32_t before = type;
         const int result = get(ModelBuilder().get(), "a.b", &type);
         EXPECT_EQ(type, before);
         return result;
       }},
      {289, "finished", kOk, NNVK_CALL(get(make_add({2}).get(), "a.b", &type))},
      {290, "invalid", kOk, NNVK_CALL(get(invalid_model().get(), "a.b", &type))},
      {291, "model NULL", kNull, NNVK_CALL(get_operation(nullptr, "a.b", &type))},
      {292, "name NULL", kNull, NNVK_CALL(get_operation(model.get(), nullptr, &type))},
      {293, "type NULL", kNull, NNVK_CALL(get_operation(model.get(), "a.b", nullptr))},
      {294, "unknown extension", kOk, NNVK_CALL(get_operation(model.get(), "a.b", &type))},
      {295, "the same name again", kOk,
       [&] {
         const int32_t before = type;
         const int result = get_operation(ModelBuilder().get(), "a.b", &type);
         EXPECT_EQ(type, before);
         return result;
       }},
      {296, "finished", kOk, NNVK_CALL(get_operation(make_add({2}).get(), "a.b", &type))},
      {297, "invalid", kOk, NNVK_CALL(get_operation(invalid_model().get(), "a.b", &type))},
      {298, "data: model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(nullptr, 0, &byte, 1))},
      {299, "data NULL, length 4", kNull, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, nullptr, 4))},
      {300, "data given, length 0", kBadData, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, &byte, 0))},
      {301, "index", kBadData, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(ModelBuilder().get(), 0, &byte, 1))},
      {302, "built-in type", kBadData,
       [&] {
         ModelBuilder builder;
         builder.operand(kFloat, {2});
         return ANeuralNetworksModel_setOperandExtensionData(builder.get(), 0, &byte, 1);
       }},
      {304, "finished", kBadState, NNVK_CALL(ANeuralNetworksModel_setOperandExtensionData(make_add({2}).get(), 0, &byte, 1))},
  });
  // No device of this library declares an operand type, so no model can have such an operand. The rules of declared types are
  // tested in tests/core/model/model_test.cpp.
  skip_rows({67, 123, 124, 184, 303});  // need a device with an extension: tests/api/extension
  EXPECT_EQ(extension_type("same.name", 1), extension_type("same.name", 1));
  EXPECT_NE(extension_type("same.name", 1), extension_type("other.name", 1));
}

}  // namespace
}  // namespace nnvk::test
