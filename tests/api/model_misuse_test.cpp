// Wrong use of the model building functions: every row of the misuse table that concerns them.
#include <cmath>
#include <limits>

#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::testing {
namespace {

constexpr int kOk = ANEURALNETWORKS_NO_ERROR;
constexpr int kNull = ANEURALNETWORKS_UNEXPECTED_NULL;
constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
constexpr int kBadState = ANEURALNETWORKS_BAD_STATE;
constexpr int32_t kFloat = ANEURALNETWORKS_TENSOR_FLOAT32;
constexpr int32_t kQuant = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

ModelBuilder invalid_model() {
  ModelBuilder builder;
  EXPECT_EQ(builder.finish(), kBadData);
  return builder;
}

int add_operand(int32_t type, std::vector<uint32_t> dims = {}, float scale = 0.0F, int32_t zero_point = 0) {
  ModelBuilder builder;
  return ANeuralNetworksModel_addOperand(builder.get(), TypeOf(type, std::move(dims), scale, zero_point).get());
}

int add_raw_operand(ANeuralNetworksOperandType type) {
  ModelBuilder builder;
  return ANeuralNetworksModel_addOperand(builder.get(), &type);
}

int32_t extension_type(const char* name, uint16_t code) {
  ModelBuilder builder;
  int32_t type = 0;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(builder.get(), name, code, &type), kOk);
  return type;
}

TEST(ModelMisuse, Create) {
  check_cases({{51, "model NULL", kNull, [] { return ANeuralNetworksModel_create(nullptr); }}});
  ANeuralNetworksModel_free(nullptr);
  ModelBuilder unfinished;
  const ModelBuilder invalid = invalid_model();
}

TEST(ModelMisuse, AddOperand) {
  const uint32_t two[] = {2};
  std::vector<MisuseCase> cases = {
      {57, "model NULL", kNull, [] { return ANeuralNetworksModel_addOperand(nullptr, TypeOf(kFloat, {2}).get()); }},
      {58, "type NULL", kNull, [] { return ANeuralNetworksModel_addOperand(ModelBuilder().get(), nullptr); }},
      {59, "finished model", kBadState,
       [] { return ANeuralNetworksModel_addOperand(make_add({2}).get(), TypeOf(kFloat, {2}).get()); }},
      {60, "invalid model", kBadState,
       [] { return ANeuralNetworksModel_addOperand(invalid_model().get(), TypeOf(kFloat, {2}).get()); }},
      {61, "type -1", kBadData, [] { return add_operand(-1); }},
      {62, "type 16", kBadData, [] { return add_operand(16); }},
      {63, "type 9999", kBadData, [] { return add_operand(9999); }},
      {64, "type 10002", kBadData, [] { return add_operand(10002); }},
      {65, "prefix never handed out", kBadData, [] { return add_operand(0x7fff0001); }},
      {66, "extension known by name only", kBadData, [] { return add_operand(extension_type("com.example.nobody", 1)); }},
      {68, "count 0, dimensions non-NULL", kBadData,
       [&] {
         return add_raw_operand({kFloat, 0, two, 0, 0});
       }},
      {69, "count 1, dimensions NULL", kBadData,
       [] {
         return add_raw_operand({kFloat, 1, nullptr, 0, 0});
       }},
      {77, "FLOAT32 with scale", kBadData, [] { return add_operand(ANEURALNETWORKS_FLOAT32, {}, 1.0F); }},
      {78, "INT32 with zeroPoint", kBadData, [] { return add_operand(ANEURALNETWORKS_INT32, {}, 0.0F, 1); }},
      {79, "TENSOR_FLOAT32 with scale", kBadData, [] { return add_operand(kFloat, {2}, 1.0F); }},
      {80, "TENSOR_FLOAT32 with zeroPoint", kBadData, [] { return add_operand(kFloat, {2}, 0.0F, 1); }},
      {81, "TENSOR_FLOAT16 with scale", kBadData, [] { return add_operand(ANEURALNETWORKS_TENSOR_FLOAT16, {2}, 1.0F); }},
      {82, "TENSOR_BOOL8 with scale", kBadData, [] { return add_operand(ANEURALNETWORKS_TENSOR_BOOL8, {2}, 1.0F); }},
      {83, "MODEL with scale", kBadData, [] { return add_operand(ANEURALNETWORKS_MODEL, {}, 1.0F); }},
      {84, "per-channel with scale", kBadData,
       [] { return add_operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}, 1.0F); }},
      {85, "per-channel with zeroPoint", kBadData,
       [] { return add_operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}, 0.0F, 1); }},
      {112, "QUANT8_ASYMM with scale NaN", kBadData, [] { return add_operand(kQuant, {2}, kNan); }},
      {113, "TENSOR_INT32 scale -1", kOk, [] { return add_operand(ANEURALNETWORKS_TENSOR_INT32, {2}, -1.0F); }},
      {114, "TENSOR_INT32 zeroPoint 1", kOk, [] { return add_operand(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.0F, 1); }},
      {115, "TENSOR_INT32 scale 0.5", kOk, [] { return add_operand(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.5F); }},
      {116, "2^34 bytes", kBadData,
       [] {
         return add_operand(kFloat, {65536, 65536});
       }},
      {117, "2^32 bytes", kBadData,
       [] {
         return add_operand(kFloat, {65536, 16384});
       }},
      {118, "2^32 - 1 bytes", kOk, [] { return add_operand(kQuant, {4294967295U}, 1.0F); }},
      {119, "unspecified dimension", kOk,
       [] {
         return add_operand(kFloat, {0, 2});
       }},
      {120, "unspecified rank", kOk, [] { return add_operand(kFloat); }},
      {121, "zeros are skipped in the product", kBadData,
       [] {
         return add_operand(kFloat, {0, 65536, 65536});
       }},
      {122, "OEM_SCALAR with quantization", kOk, [] { return add_operand(ANEURALNETWORKS_OEM_SCALAR, {}, 1.0F, 7); }},
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

TEST(ModelMisuse, AFailedAddOperandDoesNotCount) {
  ModelBuilder builder;
  EXPECT_EQ(ANeuralNetworksModel_addOperand(builder.get(), TypeOf(16).get()), kBadData);
  EXPECT_EQ(ANeuralNetworksModel_addOperand(builder.get(), TypeOf(ANEURALNETWORKS_INT32).get()), kOk);
  const int32_t value = 1;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(builder.get(), 0, &value, sizeof value), kOk);
}

int set_value(int32_t type, std::vector<uint32_t> dims, const void* data, size_t length, int32_t index = 0) {
  ModelBuilder builder;
  builder.operand(type, std::move(dims));
  return ANeuralNetworksModel_setOperandValue(builder.get(), index, data, length);
}

TEST(ModelMisuse, SetOperandValue) {
  static const std::array<uint8_t, 256> bytes{};
  const void* data = bytes.data();
  check_cases({
      {126, "model NULL", kNull, [=] { return ANeuralNetworksModel_setOperandValue(nullptr, 0, data, 4); }},
      {127, "buffer NULL, length 4", kNull, [] { return set_value(ANEURALNETWORKS_FLOAT32, {}, nullptr, 4); }},
      {128, "buffer non-NULL, length 0", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 0); }},
      {129, "index -1", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 4, -1); }},
      {130, "index == count", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 4, 1); }},
      {131, "length 3", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 3); }},
      {132, "length 8", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT32, {}, data, 8); }},
      {133, "tensor, length short", kBadData, [=] { return set_value(kFloat, {2}, data, 4); }},
      {134, "length above 2^32 - 1", kBadData, [=] { return set_value(kFloat, {2}, data, size_t{1} << 32); }},
      {135, "unspecified dimension", kBadData, [=] { return set_value(kFloat, {0}, data, 4); }},
      {136, "unspecified rank", kBadData, [=] { return set_value(kFloat, {}, data, 4); }},
      {137, "omitted tensor of unspecified rank", kOk, [] { return set_value(kFloat, {}, nullptr, 0); }},
      {138, "omitted scalar", kOk, [] { return set_value(ANEURALNETWORKS_FLOAT32, {}, nullptr, 0); }},
      {139, "finished model", kBadState, [=] { return ANeuralNetworksModel_setOperandValue(make_add({2}).get(), 0, data, 8); }},
      {140, "invalid model", kBadState, [=] { return ANeuralNetworksModel_setOperandValue(invalid_model().get(), 0, data, 8); }},
      {141, "MODEL operand", kBadData, [=] { return set_value(ANEURALNETWORKS_MODEL, {}, data, 4); }},
      {142, "OEM_SCALAR of any length", kOk, [=] { return set_value(ANEURALNETWORKS_OEM_SCALAR, {}, data, 20); }},
      {143, "OEM_BYTE, length short", kBadData, [=] { return set_value(ANEURALNETWORKS_TENSOR_OEM_BYTE, {4}, data, 3); }},
      {144, "BOOL is one byte", kBadData, [=] { return set_value(ANEURALNETWORKS_BOOL, {}, data, 4); }},
      {145, "FLOAT16 is two bytes", kBadData, [=] { return set_value(ANEURALNETWORKS_FLOAT16, {}, data, 4); }},
      {146, "128 bytes", kOk, [=] { return set_value(kFloat, {32}, data, 128); }},
      {147, "above 128 bytes", kOk, [=] { return set_value(ANEURALNETWORKS_TENSOR_BOOL8, {129}, data, 129); }},
  });
}

TEST(ModelMisuse, SetOperandValueFromMemory) {
  const MemoryPointer memory = make_memory(32);
  const auto set = [&](int32_t index, size_t offset, size_t length, std::vector<uint32_t> dims = {2}) {
    ModelBuilder builder;
    builder.operand(kFloat, std::move(dims));
    return ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), index, memory.get(), offset, length);
  };
  check_cases({
      {150, "model NULL", kNull, [&] { return ANeuralNetworksModel_setOperandValueFromMemory(nullptr, 0, memory.get(), 0, 8); }},
      {151, "memory NULL", kNull,
       [] { return ANeuralNetworksModel_setOperandValueFromMemory(ModelBuilder().get(), 0, nullptr, 0, 8); }},
      {152, "index -1", kBadData, [&] { return set(-1, 0, 8); }},
      {153, "index == count", kBadData, [&] { return set(1, 0, 8); }},
      {154, "finished", kBadState,
       [&] { return ANeuralNetworksModel_setOperandValueFromMemory(make_add({2}).get(), 0, memory.get(), 0, 8); }},
      {155, "invalid", kBadState,
       [&] { return ANeuralNetworksModel_setOperandValueFromMemory(invalid_model().get(), 0, memory.get(), 0, 8); }},
      {156, "unspecified dimension", kBadData, [&] { return set(0, 0, 8, {0}); }},
      {157, "length short", kBadData, [&] { return set(0, 0, 4); }},
      {158, "length long", kBadData, [&] { return set(0, 0, 12); }},
      {159, "one past the end", kBadData, [&] { return set(0, 25, 8); }},
      {160, "offset beyond the end", kBadData, [&] { return set(0, 100, 8); }},
      {161, "0 and 0", kBadData, [&] { return set(0, 0, 0); }},
      {166, "exactly to the end", kOk, [&] { return set(0, 24, 8); }},
      {0, "offset that wraps around", kBadData, [&] { return set(0, SIZE_MAX - 3, 8); }},
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

TEST(ModelMisuse, SetOperandValueFromModel) {
  const ModelBuilder value = make_add({2});
  const auto set = [&](const ANeuralNetworksModel* v, int32_t index) {
    ModelBuilder builder;
    builder.operand(ANEURALNETWORKS_MODEL);
    return ANeuralNetworksModel_setOperandValueFromModel(builder.get(), index, v);
  };
  check_cases({
      {169, "model NULL", kNull, [&] { return ANeuralNetworksModel_setOperandValueFromModel(nullptr, 0, value.get()); }},
      {170, "value NULL", kNull, [&] { return set(nullptr, 0); }},
      {171, "finished", kBadState,
       [&] { return ANeuralNetworksModel_setOperandValueFromModel(make_add({2}).get(), 0, value.get()); }},
      {172, "value not finished", kBadState, [&] { return set(ModelBuilder().get(), 0); }},
      {173, "value invalid", kBadState, [&] { return set(invalid_model().get(), 0); }},
      {174, "value is the model", kBadState,
       [] {
         ModelBuilder builder;
         builder.operand(ANEURALNETWORKS_MODEL);
         return ANeuralNetworksModel_setOperandValueFromModel(builder.get(), 0, builder.get());
       }},
      {175, "index -1", kBadData, [&] { return set(value.get(), -1); }},
      {176, "index == count", kBadData, [&] { return set(value.get(), 1); }},
      {177, "operand is not a MODEL", kOk,
       [&] {
         ModelBuilder builder;
         builder.operand(kFloat, {2});
         return ANeuralNetworksModel_setOperandValueFromModel(builder.get(), 0, value.get());
       }},
      {178, "value unfinished and bad index", kBadState, [&] { return set(ModelBuilder().get(), 7); }},
  });
}

TEST(ModelMisuse, SetOperandSymmPerChannelQuantParams) {
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
       [] { return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ModelBuilder().get(), 0, nullptr); }},
      {181, "index", kBadData,
       [&] {
         return set(kType, {2}, 0, {1, 1}, 1);
       }},
      {182, "finished", kBadState,
       [&] {
         const ANeuralNetworksSymmPerChannelQuantParams params{0, 1, &scale};
         return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(make_add({2}).get(), 0, &params);
       }},
      {183, "TENSOR_FLOAT32", kBadData,
       [&] {
         return set(kFloat, {2}, 0, {1, 1});
       }},
      {185, "channelDim == rank", kBadData,
       [&] {
         return set(kType, {2}, 1, {1, 1});
       }},
      {186, "wrong count", kBadData, [&] { return set(kType, {2}, 0, {1}); }},
      {187, "count 0, NULL", kBadData, [&] { return set(kType, {2}, 0, {}); }},
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
      {190, "scale 0", kBadData,
       [&] {
         return set(kType, {2}, 0, {1, 0});
       }},
      {191, "scale negative", kBadData,
       [&] {
         return set(kType, {2}, 0, {-1, 1});
       }},
      {192, "unspecified channel dimension", kBadData,
       [&] {
         return set(kType, {0}, 0, {1, 1});
       }},
      {193, "unspecified rank", kBadData,
       [&] {
         return set(kType, {}, 0, {1, 1});
       }},
      {194, "good", kOk,
       [&] {
         return set(kType, {2}, 0, {1, 1});
       }},
  });
}

TEST(ModelMisuse, AddOperation) {
  const uint32_t some[] = {0, 1, 2, 3};
  const auto raw = [](uint32_t in_count, const uint32_t* in, uint32_t out_count, const uint32_t* out) {
    ModelBuilder builder;
    for (int i = 0; i < 4; ++i) builder.operand(kFloat, {2});
    return ANeuralNetworksModel_addOperation(builder.get(), ANEURALNETWORKS_ADD, in_count, in, out_count, out);
  };
  // ADD over operands of the given types: x, y, activation, z.
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
      {195, "model NULL", kNull, [&] { return ANeuralNetworksModel_addOperation(nullptr, 0, 3, some, 1, some); }},
      {196, "inputs NULL", kNull, [&] { return raw(2, nullptr, 1, some); }},
      {197, "inputs NULL, count 0", kNull, [&] { return raw(0, nullptr, 1, some); }},
      {198, "outputs NULL", kNull, [&] { return raw(3, some, 1, nullptr); }},
      {199, "outputs NULL, count 0", kNull, [&] { return raw(3, some, 0, nullptr); }},
      {200, "inputCount 0", kBadData, [&] { return raw(0, some, 1, some); }},
      {201, "outputCount 0", kBadData, [&] { return raw(3, some, 0, some); }},
      {202, "finished", kBadState,
       [&] {
         return make_add({2}).operation(0, {0, 1, 2}, {3});
       }},
      {203, "invalid", kBadState,
       [&] {
         return invalid_model().operation(0, {0, 1, 2}, {3});
       }},
      {204, "type -1", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, -1, {0, 1, 2}, {3});
       }},
      {205, "type 106", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 106, {0, 1, 2}, {3});
       }},
      {206, "type 20000", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 20000, {0, 1, 2}, {3});
       }},
      {207, "input index", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0, {0, 4, 2}, {3});
       }},
      {208, "output index", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1, 2}, {4});
       }},
      {209, "2 inputs", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1}, {3});
       }},
      {210, "4 inputs", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1, 2, 2}, {3});
       }},
      {211, "2 outputs", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0, {0, 1, 2}, {3, 0});
       }},
      {212, "mixed types", kBadData,
       [&] {
         return add({kFloat, kQuant, kInt, kFloat}, 0, {0, 1, 2}, {3});
       }},
      {213, "output type differs", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kQuant}, 0, {0, 1, 2}, {3});
       }},
      {214, "activation is FLOAT32", kBadData,
       [&] {
         return add({kFloat, kFloat, ANEURALNETWORKS_FLOAT32, kFloat}, 0, {0, 1, 2}, {3});
       }},
      {216, "same operand twice as input", kOk,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0, {0, 0, 2}, {3});
       }},
      {217, "unknown prefix", kBadData,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 0x7fff0001, {0, 1, 2}, {3});
       }},
      {218, "extension of no device", kOk,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, extension_type("com.example.nobody", 3), {0, 1, 2}, {3});
       }},
      {219, "OEM_OPERATION", kOk,
       [&] {
         return add({kFloat, kFloat, kInt, kFloat}, 10000, {0}, {3});
       }},
      {215, "activation value 999", kOk,
       [] {
         make_add({2}, 999);
         return kOk;
       }},
  });
}

TEST(ModelMisuse, AddControlFlow) {
  constexpr int32_t kBool = ANEURALNETWORKS_TENSOR_BOOL8;
  constexpr int32_t kModel = ANEURALNETWORKS_MODEL;
  // IF over branches that compute z = x + x of shape {2}.
  const auto add_if = [&](int32_t condition_type, std::vector<uint32_t> condition_dims, std::vector<uint32_t> outer_dims,
                          std::vector<uint32_t> branch_dims, bool drop_input, bool set_values) {
    ModelBuilder branch;
    const uint32_t x = branch.operand(kFloat, branch_dims);
    const uint32_t z = branch.operand(kFloat, branch_dims);
    EXPECT_EQ(branch.operation(ANEURALNETWORKS_RELU, {x}, {z}), kOk);
    EXPECT_EQ(branch.identify({x}, {z}), kOk);
    EXPECT_EQ(branch.finish(), kOk);
    ModelBuilder model;
    const uint32_t condition = model.operand(condition_type, condition_dims);
    const uint32_t yes = model.operand(kModel);
    const uint32_t no = model.operand(kModel);
    const uint32_t in = model.operand(kFloat, outer_dims);
    const uint32_t out = model.operand(kFloat, outer_dims);
    if (set_values) {
      EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), static_cast<int32_t>(yes), branch.get()), kOk);
      EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), static_cast<int32_t>(no), branch.get()), kOk);
    }
    return drop_input ? model.operation(ANEURALNETWORKS_IF, {condition, yes, no}, {out})
                      : model.operation(ANEURALNETWORKS_IF, {condition, yes, no, in}, {out});
  };
  check_cases({
      {0, "IF that fits", kOk, [&] { return add_if(kBool, {1}, {2}, {2}, false, true); }},
      {220, "no values yet", kBadData, [&] { return add_if(kBool, {1}, {2}, {2}, false, false); }},
      {222, "condition {2}", kBadData, [&] { return add_if(kBool, {2}, {2}, {2}, false, true); }},
      {223, "condition of unknown rank", kBadData, [&] { return add_if(kBool, {}, {2}, {2}, false, true); }},
      {224, "condition is BOOL", kBadData, [&] { return add_if(ANEURALNETWORKS_BOOL, {}, {2}, {2}, false, true); }},
      {225, "other number of inputs", kBadData, [&] { return add_if(kBool, {1}, {2}, {2}, true, true); }},
      {0, "other dimensions", kBadData, [&] { return add_if(kBool, {1}, {2}, {3}, false, true); }},
      {228, "branch dims unspecified", kOk, [&] { return add_if(kBool, {1}, {2}, {0}, false, true); }},
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
      {235, "model NULL", kNull, [&] { return ANeuralNetworksModel_identifyInputsAndOutputs(nullptr, 1, some, 1, some); }},
      {236, "inputs NULL", kNull, [&] { return raw(1, nullptr, 1, some); }},
      {237, "outputs NULL", kNull, [&] { return raw(1, some, 1, nullptr); }},
      {238, "inputs NULL, 0", kNull, [&] { return raw(0, nullptr, 1, some); }},
      {239, "inputCount 0", kBadData, [&] { return raw(0, some, 1, some); }},
      {240, "outputCount 0", kBadData, [&] { return raw(1, some, 0, some); }},
      {241, "input index", kBadData, [&] { return identify({4}, {1}); }},
      {242, "output index", kBadData, [&] { return identify({0}, {4}); }},
      {243, "twice among inputs", kBadData,
       [&] {
         return identify({0, 0}, {1});
       }},
      {244, "twice among outputs", kBadData,
       [&] {
         return identify({0}, {1, 1});
       }},
      {245, "input and output", kBadData, [&] { return identify({0}, {0}); }},
      {246, "constant", kBadData, [&] { return identify({2}, {1}); }},
      {247, "omitted", kBadData, [&] { return identify({3}, {1}); }},
      {250, "finished", kBadState, [] { return make_add({2}).identify({0}, {3}); }},
      {251, "invalid", kBadState, [] { return invalid_model().identify({0}, {3}); }},
      {252, "relax NULL", kNull, [] { return ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true); }},
      {253, "relax finished", kBadState,
       [] { return ANeuralNetworksModel_relaxComputationFloat32toFloat16(make_add({2}).get(), true); }},
      {254, "relax invalid", kBadState,
       [] { return ANeuralNetworksModel_relaxComputationFloat32toFloat16(invalid_model().get(), true); }},
      {255, "relax", kOk, [] { return ANeuralNetworksModel_relaxComputationFloat32toFloat16(ModelBuilder().get(), true); }},
  });
}

// x -> RELU -> y with one change made by `change`, then finish.
int finish_relu(const std::function<void(ModelBuilder&, uint32_t x, uint32_t y)>& change, bool identify = true) {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, {2});
  const uint32_t y = builder.operand(kFloat, {2});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
  if (identify) {
    EXPECT_EQ(builder.identify({x}, {y}), kOk);
  }
  change(builder, x, y);
  return builder.finish();
}

TEST(ModelMisuse, Finish) {
  static const std::array<float, 2> value{};
  check_cases({
      {256, "model NULL", kNull, [] { return ANeuralNetworksModel_finish(nullptr); }},
      {257, "after success", kBadState, [] { return make_add({2}).finish(); }},
      {258, "after BAD_DATA", kBadState, [] { return invalid_model().finish(); }},
      {259, "empty", kBadData, [] { return ModelBuilder().finish(); }},
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
      {263, "reads what nobody writes", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) {
           const uint32_t nobody = b.operand(kFloat, {2});
           const uint32_t result = b.operand(kFloat, {2});
           EXPECT_EQ(b.operation(ANEURALNETWORKS_RELU, {nobody}, {result}), kOk);
         });
       }},
      {264, "unused temporary", kBadData,
       [] { return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) { b.operand(kFloat, {2}); }); }},
      {266, "unused constant", kOk, [] { return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) { b.constant(1); }); }},
      {267, "unused omitted", kOk,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) {
           const uint32_t o = b.operand(kFloat, {2});
           EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(o), nullptr, 0), kOk);
         });
       }},
      {269, "written twice", kBadData,
       [] {
         return finish_relu(
             [](ModelBuilder& b, uint32_t x, uint32_t y) { EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {x}, {y}), kOk); });
       }},
      {270, "writes an input", kBadData,
       [] {
         return finish_relu(
             [](ModelBuilder& b, uint32_t x, uint32_t y) { EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {y}, {x}), kOk); });
       }},
      {271, "writes a constant", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t x, uint32_t) {
           const uint32_t c = b.operand(kFloat, {2});
           EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(c), value.data(), 8), kOk);
           EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {x}, {c}), kOk);
         });
       }},
      {273, "MODEL without a value", kBadData,
       [] { return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) { b.operand(ANEURALNETWORKS_MODEL); }); }},
      {275, "FLOAT32 with a model value", kBadData,
       [] {
         const ModelBuilder referenced = make_add({2});
         return finish_relu([&](ModelBuilder& b, uint32_t, uint32_t) {
           const auto f = static_cast<int32_t>(b.operand(ANEURALNETWORKS_FLOAT32));
           EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(b.get(), f, referenced.get()), kOk);
         });
       }},
      {276, "per-channel without scales", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) {
           const auto p = static_cast<int32_t>(b.operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}));
           EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), p, value.data(), 2), kOk);
         });
       }},
      {277, "TENSOR_INT32 with zeroPoint", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t, uint32_t) {
           const auto p = static_cast<int32_t>(b.operand(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.0F, 1));
           EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), p, value.data(), 8), kOk);
         });
       }},
      {279, "output made a constant", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t, uint32_t y) {
           EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(y), value.data(), 8), kOk);
         });
       }},
      {0, "input made a constant", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t x, uint32_t) {
           EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(x), value.data(), 8), kOk);
         });
       }},
      {281, "dead operation", kOk,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t x, uint32_t) {
           const uint32_t dead = b.operand(kFloat, {2});
           EXPECT_EQ(b.operation(ANEURALNETWORKS_TANH, {x}, {dead}), kOk);
         });
       }},
      {282, "no inputs identified, all constant", kOk,
       [] {
         return finish_relu(
             [](ModelBuilder& b, uint32_t x, uint32_t) {
               EXPECT_EQ(ANeuralNetworksModel_setOperandValue(b.get(), static_cast<int32_t>(x), value.data(), 8), kOk);
             },
             false);
       }},
      {280, "constant memory with PROT_EXEC", kBadData,
       [] {
         const MemoryPointer memory = make_memory(8, PROT_READ | PROT_EXEC);
         return finish_relu([&](ModelBuilder& b, uint32_t, uint32_t) {
           const auto c = static_cast<int32_t>(b.operand(kFloat, {2}));
           EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(b.get(), c, memory.get(), 0, 8), kOk);
         });
       }},
      {0, "malformed extension name", kBadData,
       [] {
         return finish_relu([](ModelBuilder& b, uint32_t x, uint32_t) {
           const uint32_t dead = b.operand(kFloat, {2});
           EXPECT_EQ(b.operation(extension_type("No Dots Here", 1), {x}, {dead}), kOk);
         });
       }},
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
      {284, "model NULL", kNull, [&] { return get(nullptr, "a.b", &type); }},
      {285, "name NULL", kNull, [&] { return get(model.get(), nullptr, &type); }},
      {286, "type NULL", kNull, [&] { return get(model.get(), "a.b", nullptr); }},
      {287, "unknown extension", kOk, [&] { return get(model.get(), "a.b", &type); }},
      {289, "finished", kOk, [&] { return get(make_add({2}).get(), "a.b", &type); }},
      {290, "invalid", kOk, [&] { return get(invalid_model().get(), "a.b", &type); }},
      {291, "model NULL", kNull, [&] { return get_operation(nullptr, "a.b", &type); }},
      {292, "name NULL", kNull, [&] { return get_operation(model.get(), nullptr, &type); }},
      {293, "type NULL", kNull, [&] { return get_operation(model.get(), "a.b", nullptr); }},
      {294, "unknown extension", kOk, [&] { return get_operation(model.get(), "a.b", &type); }},
      {298, "data: model NULL", kNull, [&] { return ANeuralNetworksModel_setOperandExtensionData(nullptr, 0, &byte, 1); }},
      {299, "data NULL, length 4", kNull,
       [&] { return ANeuralNetworksModel_setOperandExtensionData(model.get(), 0, nullptr, 4); }},
      {301, "index", kBadData, [&] { return ANeuralNetworksModel_setOperandExtensionData(ModelBuilder().get(), 0, &byte, 1); }},
      {302, "built-in type", kBadData,
       [&] {
         ModelBuilder builder;
         builder.operand(kFloat, {2});
         return ANeuralNetworksModel_setOperandExtensionData(builder.get(), 0, &byte, 1);
       }},
      {304, "finished", kBadState,
       [&] { return ANeuralNetworksModel_setOperandExtensionData(make_add({2}).get(), 0, &byte, 1); }},
  });
  EXPECT_EQ(extension_type("same.name", 1), extension_type("same.name", 1));
  EXPECT_NE(extension_type("same.name", 1), extension_type("other.name", 1));
}

}  // namespace
}  // namespace nnvk::testing
