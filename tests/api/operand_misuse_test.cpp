// Wrong operands and wrong values of operands.
#include <nnvk/constants.h>

#include <cmath>
#include <limits>

#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

int add_operand(int32_t type, std::vector<uint32_t> dims = {}, float scale = 0.0F, int32_t zero_point = 0) {
  ModelBuilder builder;
  return ANeuralNetworksModel_addOperand(builder.get(), TypeOf(type, std::move(dims), scale, zero_point).get());
}

int add_raw_operand(ANeuralNetworksOperandType type) {
  ModelBuilder builder;
  return ANeuralNetworksModel_addOperand(builder.get(), &type);
}

TEST(OperandMisuse, AddOperand) {
  const uint32_t two[] = {2};
  std::vector<MisuseCase> cases = {
      {57, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_addOperand(nullptr, TypeOf(kFloat, {2}).get()))},
      {58, "type NULL", kNull, NNVK_CALL(ANeuralNetworksModel_addOperand(ModelBuilder().get(), nullptr))},
      {59, "finished model", kBadState,
       NNVK_CALL(ANeuralNetworksModel_addOperand(make_add({2}).get(), TypeOf(kFloat, {2}).get()))},
      {60, "invalid model", kBadState,
       NNVK_CALL(ANeuralNetworksModel_addOperand(invalid_model().get(), TypeOf(kFloat, {2}).get()))},
      {61, "type -1", kBadData, NNVK_CALL(add_operand(-1))},
      {62, "type 16", kBadData, NNVK_CALL(add_operand(16))},
      {63, "type 9999", kBadData, NNVK_CALL(add_operand(9999))},
      {64, "type 10002", kBadData, NNVK_CALL(add_operand(10002))},
      {65, "prefix never handed out", kBadData, NNVK_CALL(add_operand(0x7fff0001))},
      {66, "extension known by name only", kBadData, NNVK_CALL(add_operand(extension_type("com.example.nobody", 1)))},
      {68, "count 0, dimensions non-NULL", kBadData, NNVK_CALL(add_raw_operand({kFloat, 0, two, 0, 0}))},
      {69, "count 1, dimensions NULL", kBadData, NNVK_CALL(add_raw_operand({kFloat, 1, nullptr, 0, 0}))},
      {77, "FLOAT32 with scale", kBadData, NNVK_CALL(add_operand(ANEURALNETWORKS_FLOAT32, {}, 1.0F))},
      {78, "INT32 with zeroPoint", kBadData, NNVK_CALL(add_operand(ANEURALNETWORKS_INT32, {}, 0.0F, 1))},
      {79, "TENSOR_FLOAT32 with scale", kBadData, NNVK_CALL(add_operand(kFloat, {2}, 1.0F))},
      {80, "TENSOR_FLOAT32 with zeroPoint", kBadData, NNVK_CALL(add_operand(kFloat, {2}, 0.0F, 1))},
      {81, "TENSOR_FLOAT16 with scale", kBadData, NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_FLOAT16, {2}, 1.0F))},
      {82, "TENSOR_BOOL8 with scale", kBadData, NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_BOOL8, {2}, 1.0F))},
      {83, "MODEL with scale", kBadData, NNVK_CALL(add_operand(ANEURALNETWORKS_MODEL, {}, 1.0F))},
      {84, "per-channel with scale", kBadData, NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}, 1.0F))},
      {85, "per-channel with zeroPoint", kBadData,
       NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}, 0.0F, 1))},
      {112, "QUANT8_ASYMM with scale NaN", kBadData, NNVK_CALL(add_operand(kQuant, {2}, kNan))},
      {113, "TENSOR_INT32 scale -1", kOk, NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_INT32, {2}, -1.0F))},
      {114, "TENSOR_INT32 zeroPoint 1", kOk, NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.0F, 1))},
      {115, "TENSOR_INT32 scale 0.5", kOk, NNVK_CALL(add_operand(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.5F))},
      {116, "2^34 bytes", kBadData, NNVK_CALL(add_operand(kFloat, {65536, 65536}))},
      {117, "2^32 bytes", kBadData, NNVK_CALL(add_operand(kFloat, {65536, 16384}))},
      {118, "2^32 - 1 bytes", kOk, NNVK_CALL(add_operand(kQuant, {4294967295U}, 1.0F))},
      {119, "unspecified dimension", kOk, NNVK_CALL(add_operand(kFloat, {0, 2}))},
      {120, "unspecified rank", kOk, NNVK_CALL(add_operand(kFloat))},
      {121, "zeros are skipped in the product", kBadData, NNVK_CALL(add_operand(kFloat, {0, 65536, 65536}))},
      {122, "OEM_SCALAR with quantization", kOk, NNVK_CALL(add_operand(ANEURALNETWORKS_OEM_SCALAR, {}, 1.0F, 7))},
  };
  const int32_t scalars[] = {ANEURALNETWORKS_FLOAT32, ANEURALNETWORKS_INT32, ANEURALNETWORKS_UINT32,    ANEURALNETWORKS_BOOL,
                             ANEURALNETWORKS_FLOAT16, ANEURALNETWORKS_MODEL, ANEURALNETWORKS_OEM_SCALAR};
  for (int i = 0; i < 7; ++i) {
    cases.push_back({70 + i, "scalar with a dimension", kBadData, [type = scalars[i]] { return add_operand(type, {1}); }});
  }
  struct Quantization {
    int id;
    int32_t type;
    float scale;
    int32_t zero_point;
    int expected;
  };
  const int32_t kSigned = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  const int32_t kQuant16 = ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;
  const int32_t kSymm8 = ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
  const int32_t kSymm16 = ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
  const Quantization rows[] = {
      {86, kQuant, 1, -1, kBadData},    {87, kQuant, 1, 256, kBadData},     {88, kQuant, 1, 0, kOk},
      {89, kQuant, 1, 255, kOk},        {90, kQuant, 0, 0, kBadData},       {91, kQuant, -1, 0, kBadData},
      {92, kSigned, 1, -129, kBadData}, {93, kSigned, 1, 128, kBadData},    {94, kSigned, 1, -128, kOk},
      {95, kSigned, 1, 127, kOk},       {96, kSigned, 0, 0, kBadData},      {97, kSigned, -1, 0, kBadData},
      {98, kQuant16, 1, -1, kBadData},  {99, kQuant16, 1, 65536, kBadData}, {100, kQuant16, 1, 0, kOk},
      {101, kQuant16, 1, 65535, kOk},   {102, kQuant16, 0, 0, kBadData},    {103, kQuant16, -1, 0, kBadData},
      {104, kSymm8, 1, 1, kBadData},    {105, kSymm8, 1, -1, kBadData},     {106, kSymm8, 0, 0, kBadData},
      {107, kSymm8, -1, 0, kBadData},   {108, kSymm16, 1, 1, kBadData},     {109, kSymm16, 1, -1, kBadData},
      {110, kSymm16, 0, 0, kBadData},   {111, kSymm16, -1, 0, kBadData},
  };
  for (const Quantization& row : rows) {
    cases.push_back(
        {row.id, "scale and zero point", row.expected, [row] { return add_operand(row.type, {2}, row.scale, row.zero_point); }});
  }
  check_cases(cases);
}

TEST(OperandMisuse, AFailedAddOperandDoesNotCount) {
  ModelBuilder builder;
  EXPECT_EQ(ANeuralNetworksModel_addOperand(builder.get(), TypeOf(16).get()), kBadData);
  check_cases({{125, "a good one after a bad one", kOk,
                NNVK_CALL(ANeuralNetworksModel_addOperand(builder.get(), TypeOf(ANEURALNETWORKS_INT32).get()))}});
  const int32_t value = 1;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(builder.get(), 0, &value, sizeof value), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(builder.get(), 1, &value, sizeof value), kBadData);
}

// Sets a value of a new operand. nnvk's function for values in place must have the same result.
int set_value(int32_t type, const std::vector<uint32_t>& dims, const void* data, size_t length, int32_t index = 0) {
  ModelBuilder copied;
  ModelBuilder in_place;
  copied.operand(type, dims);
  in_place.operand(type, dims);
  const int result = ANeuralNetworksModel_setOperandValue(copied.get(), index, data, length);
  EXPECT_EQ(nnvk_Model_setOperandValueInPlace(in_place.get(), index, data, length), result);
  return result;
}

TEST(OperandMisuse, SetOperandValueInPlaceNeedsAModelUnderConstruction) {
  const float data[2] = {};
  EXPECT_EQ(nnvk_Model_setOperandValueInPlace(nullptr, 0, data, sizeof data), kNull);
  EXPECT_EQ(nnvk_Model_setOperandValueInPlace(make_add({2}).get(), 0, data, sizeof data), kBadState);
  EXPECT_EQ(nnvk_Model_setOperandValueInPlace(invalid_model().get(), 0, data, sizeof data), kBadState);
}

TEST(OperandMisuse, SetOperandValueTransposed) {
  const float data[6] = {};
  const uint32_t order[] = {1, 0};
  const uint32_t twice[] = {1, 1};
  ModelBuilder model;
  model.operand(kFloat, {2, 3});
  const auto set = [&](const void* buffer, size_t length, const uint32_t* named, uint32_t rank) {
    return nnvk_Model_setOperandValueTransposed(model.get(), 0, buffer, length, named, rank);
  };
  EXPECT_EQ(nnvk_Model_setOperandValueTransposed(nullptr, 0, data, sizeof data, order, 2), kNull);
  EXPECT_EQ(set(nullptr, sizeof data, order, 2), kNull);
  EXPECT_EQ(set(data, sizeof data, nullptr, 2), kNull);
  EXPECT_EQ(set(data, sizeof data, order, 1), kBadData);
  EXPECT_EQ(set(data, sizeof data, twice, 2), kBadData);
  EXPECT_EQ(set(data, 4, order, 2), kBadData);
  EXPECT_EQ(set(data, sizeof data, order, 2), kOk);
  EXPECT_EQ(nnvk_Model_setOperandValueTransposed(make_add({2}).get(), 0, data, 4, order, 1), kBadState);
  EXPECT_EQ(nnvk_Model_setOperandValueTransposed(invalid_model().get(), 0, data, 4, order, 1), kBadState);
}

TEST(OperandMisuse, SetOperandValue) {
  static const std::array<uint8_t, 256> bytes{};
  const void* data = bytes.data();
  check_cases({
      {126, "model NULL", kNull, [=] { return ANeuralNetworksModel_setOperandValue(nullptr, 0, data, 4); }},
      {127, "buffer NULL, length 4", kNull, NNVK_CALL(set_value(ANEURALNETWORKS_FLOAT32, {}, nullptr, 4))},
      {128, "buffer non-NULL, length 0", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 0); }},
      {129, "index -1", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 4, -1); }},
      {130, "index == count", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 4, 1); }},
      {131, "length 3", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 3); }},
      {132, "length 8", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 8); }},
      {133, "tensor, length short", kBadData, [=] { return set_value(kFloat, {2}, data, 4); }},
      {134, "length above 2^32 - 1", kBadData, [=] { return set_value(kFloat, {2}, data, size_t{1} << 32); }},
      {135, "unspecified dimension", kBadData, [=] { return set_value(kFloat, {0}, data, 4); }},
      {136, "unspecified rank", kBadData, [=] { return set_value(kFloat, {}, data, 4); }},
      {137, "omitted tensor of unspecified rank", kOk, NNVK_CALL(set_value(kFloat, {}, nullptr, 0))},
      {138, "omitted scalar", kOk, NNVK_CALL(set_value(ANEURALNETWORKS_FLOAT32, {}, nullptr, 0))},
      {139, "finished model", kBadState, [=] { return ANeuralNetworksModel_setOperandValue(make_add({2}).get(), 0, data, 8); }},
      {140, "invalid model", kBadState, [=] { return ANeuralNetworksModel_setOperandValue(invalid_model().get(), 0, data, 8); }},
      {141, "MODEL operand", kBadData, [=] { return set_value(ANEURALNETWORKS_MODEL, {}, data, 4); }},
      {142, "OEM_SCALAR of any length", kOk, [=] { return set_value(ANEURALNETWORKS_OEM_SCALAR, {}, data, 20); }},
      {143, "OEM_BYTE, length short", kBadData, [=] { return set_value(ANEURALNETWORKS_TENSOR_OEM_BYTE, {4}, data, 3); }},
      {144, "BOOL is one byte", kBadData, [=] { return set_value(ANEURALNETWORKS_BOOL, {}, data, 4); }},
      {145, "FLOAT16 is two bytes", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT16, {}, data, 4); }},
      {146, "128 bytes", kOk, [=] { return set_value(kFloat, {32}, data, 128); }},
      {147, "above 128 bytes", kOk, [=] { return set_value(ANEURALNETWORKS_TENSOR_BOOL8, {129}, data, 129); }},
      {149, "a model input", kOk,
       [=] {
         ModelBuilder builder;
         const uint32_t x = builder.operand(kFloat, {2});
         const uint32_t y = builder.operand(kFloat, {2});
         EXPECT_EQ(builder.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
         EXPECT_EQ(builder.identify({x}, {y}), kOk);
         const int result = ANeuralNetworksModel_setOperandValue(builder.get(), 0, data, 8);
         EXPECT_EQ(builder.finish(), kBadData);
         return result;
       }},
  });
}

TEST(OperandMisuse, OfTwoValuesTheLastWins) {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, {1});
  const uint32_t c = builder.operand(kFloat, {1});
  const uint32_t none = builder.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t y = builder.operand(kFloat, {1});
  const auto set = [&](float value) {
    return ANeuralNetworksModel_setOperandValue(builder.get(), static_cast<int32_t>(c), &value, sizeof value);
  };
  EXPECT_EQ(set(100.0F), kOk);
  check_cases({{148, "again", kOk, NNVK_CALL(set(2.0F))}});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_ADD, {x, c, none}, {y}), kOk);
  builder.finish({x}, {y});
  const CompilationPointer compilation = finished(compile_for_one(builder.get()));
  const float one = 1.0F;
  float result = 0.0F;
  EXPECT_EQ(compute(make_execution(compilation, {one}, {result})), kOk);
  EXPECT_EQ(result, 3.0F);
}

TEST(OperandMisuse, SetOperandValueFromMemory) {
  const MemoryPointer memory = make_memory(32);
  const auto set = [&](int32_t index, size_t offset, size_t length, std::vector<uint32_t> dims = {2}) {
    ModelBuilder builder;
    builder.operand(kFloat, std::move(dims));
    return ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), index, memory.get(), offset, length);
  };
  check_cases({
      {150, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_setOperandValueFromMemory(nullptr, 0, memory.get(), 0, 8))},
      {151, "memory NULL", kNull,
       NNVK_CALL(ANeuralNetworksModel_setOperandValueFromMemory(ModelBuilder().get(), 0, nullptr, 0, 8))},
      {152, "index -1", kBadData, NNVK_CALL(set(-1, 0, 8))},
      {153, "index == count", kBadData, NNVK_CALL(set(1, 0, 8))},
      {154, "finished", kBadState,
       NNVK_CALL(ANeuralNetworksModel_setOperandValueFromMemory(make_add({2}).get(), 0, memory.get(), 0, 8))},
      {155, "invalid", kBadState,
       NNVK_CALL(ANeuralNetworksModel_setOperandValueFromMemory(invalid_model().get(), 0, memory.get(), 0, 8))},
      {156, "unspecified dimension", kBadData, NNVK_CALL(set(0, 0, 8, {0}))},
      {157, "length short", kBadData, NNVK_CALL(set(0, 0, 4))},
      {158, "length long", kBadData, NNVK_CALL(set(0, 0, 12))},
      {159, "one past the end", kBadData, NNVK_CALL(set(0, 25, 8))},
      {160, "offset beyond the end", kBadData, NNVK_CALL(set(0, 100, 8))},
      {161, "0 and 0", kBadData, NNVK_CALL(set(0, 0, 0))},
      {166, "exactly to the end", kOk, NNVK_CALL(set(0, 24, 8))},
      {0, "offset that wraps around", kBadData, NNVK_CALL(set(0, SIZE_MAX - 3, 8))},
      {165, "OEM_SCALAR", kBadData,
       [&] {
         ModelBuilder builder;
         builder.operand(ANEURALNETWORKS_OEM_SCALAR);
         return ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), 0, memory.get(), 0, 4);
       }},
      {168, "memory of size 0", kBadData,
       [&] {
         const MemoryPointer empty = make_memory(0);
         ModelBuilder builder;
         builder.operand(kFloat, {2});
         return ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), 0, empty.get(), 0, 8);
       }},
  });
}

TEST(OperandMisuse, SetOperandValueFromModel) {
  const ModelBuilder value = make_add({2});
  const auto set = [&](const ANeuralNetworksModel* v, int32_t index) {
    ModelBuilder builder;
    builder.operand(ANEURALNETWORKS_MODEL);
    return ANeuralNetworksModel_setOperandValueFromModel(builder.get(), index, v);
  };
  check_cases({
      {169, "model NULL", kNull, NNVK_CALL(ANeuralNetworksModel_setOperandValueFromModel(nullptr, 0, value.get()))},
      {170, "value NULL", kNull, NNVK_CALL(set(nullptr, 0))},
      {171, "finished", kBadState, NNVK_CALL(ANeuralNetworksModel_setOperandValueFromModel(make_add({2}).get(), 0, value.get()))},
      {172, "value not finished", kBadState, NNVK_CALL(set(ModelBuilder().get(), 0))},
      {173, "value invalid", kBadState, NNVK_CALL(set(invalid_model().get(), 0))},
      {174, "value is the model", kBadState,
       [] {
         ModelBuilder builder;
         builder.operand(ANEURALNETWORKS_MODEL);
         return ANeuralNetworksModel_setOperandValueFromModel(builder.get(), 0, builder.get());
       }},
      {175, "index -1", kBadData, NNVK_CALL(set(value.get(), -1))},
      {176, "index == count", kBadData, NNVK_CALL(set(value.get(), 1))},
      {177, "operand is not a MODEL", kOk,
       [&] {
         ModelBuilder builder;
         builder.operand(kFloat, {2});
         return ANeuralNetworksModel_setOperandValueFromModel(builder.get(), 0, value.get());
       }},
      {178, "value unfinished and bad index", kBadState, NNVK_CALL(set(ModelBuilder().get(), 7))},
  });
}

TEST(OperandMisuse, SetOperandSymmPerChannelQuantParams) {
  const auto set = [](int32_t type, std::vector<uint32_t> dims, uint32_t channel, std::vector<float> scales, int32_t index = 0) {
    ModelBuilder builder;
    builder.operand(type, std::move(dims));
    const ANeuralNetworksSymmPerChannelQuantParams params{channel, static_cast<uint32_t>(scales.size()),
                                                          scales.empty() ? nullptr : scales.data()};
    return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(builder.get(), index, &params);
  };
  constexpr int32_t kType = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
  const float scale = 1.0F;
  check_cases({
      {179, "model NULL", kNull,
       [] {
         const ANeuralNetworksSymmPerChannelQuantParams params{0, 0, nullptr};
         return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(nullptr, 0, &params);
       }},
      {180, "params NULL", kNull,
       NNVK_CALL(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ModelBuilder().get(), 0, nullptr))},
      {181, "index", kBadData, NNVK_CALL(set(kType, {2}, 0, {1, 1}, 1))},
      {182, "finished", kBadState,
       [&] {
         const ANeuralNetworksSymmPerChannelQuantParams params{0, 1, &scale};
         return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(make_add({2}).get(), 0, &params);
       }},
      {183, "TENSOR_FLOAT32", kBadData, NNVK_CALL(set(kFloat, {2}, 0, {1, 1}))},
      {185, "channelDim == rank", kBadData, NNVK_CALL(set(kType, {2}, 1, {1, 1}))},
      {186, "wrong count", kBadData, NNVK_CALL(set(kType, {2}, 0, {1}))},
      {187, "count 0, NULL", kBadData, NNVK_CALL(set(kType, {2}, 0, {}))},
      {188, "count 0, non-NULL", kBadData,
       [&] {
         ModelBuilder builder;
         builder.operand(kType, {2});
         const ANeuralNetworksSymmPerChannelQuantParams params{0, 0, &scale};
         return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(builder.get(), 0, &params);
       }},
      {189, "count 2, NULL", kBadData,
       [] {
         ModelBuilder builder;
         builder.operand(kType, {2});
         const ANeuralNetworksSymmPerChannelQuantParams params{0, 2, nullptr};
         return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(builder.get(), 0, &params);
       }},
      {190, "scale 0", kBadData, NNVK_CALL(set(kType, {2}, 0, {1, 0}))},
      {191, "scale negative", kBadData, NNVK_CALL(set(kType, {2}, 0, {-1, 1}))},
      {192, "unspecified channel dimension", kBadData, NNVK_CALL(set(kType, {0}, 0, {1, 1}))},
      {193, "unspecified rank", kBadData, NNVK_CALL(set(kType, {}, 0, {1, 1}))},
      {194, "good", kOk, NNVK_CALL(set(kType, {2}, 0, {1, 1}))},
  });
}

}  // namespace
}  // namespace nnvk::test
