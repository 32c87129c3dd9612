// IF and WHILE whose referenced models do not match.
#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

constexpr int32_t kBool = ANEURALNETWORKS_TENSOR_BOOL8;

// The type of an operand of these models.
struct Type {
  int32_t type;
  std::vector<uint32_t> dims;
  float scale = 0.0F;
};

uint32_t add(ModelBuilder& model, const Type& type) { return model.operand(type.type, type.dims, type.scale); }

// A finished model with one RELU (or CAST, between types) per output, all from the first input.
ModelBuilder make_branch(const std::vector<Type>& inputs, const std::vector<Type>& outputs) {
  ModelBuilder model;
  std::vector<uint32_t> in;
  std::vector<uint32_t> out;
  for (const Type& type : inputs) in.push_back(add(model, type));
  for (const Type& type : outputs) {
    out.push_back(add(model, type));
    const int32_t code = type.type == inputs[0].type ? ANEURALNETWORKS_RELU : ANEURALNETWORKS_CAST;
    EXPECT_EQ(model.operation(code, {in[0]}, {out.back()}), kOk);
  }
  model.finish(in, out);
  return model;
}

ModelBuilder make_relu(const Type& type) { return make_branch({type}, {type}); }

const Type kTensor{kFloat, {2}};

// The result code of adding IF over one input and one output.
int add_if(const Type& condition, const ModelBuilder& then_model, const ModelBuilder& else_model, const Type& outer = kTensor) {
  ModelBuilder model;
  const uint32_t chosen = add(model, condition);
  const uint32_t yes = model.reference(then_model);
  const uint32_t no = model.reference(else_model);
  const uint32_t in = add(model, outer);
  const uint32_t out = add(model, outer);
  return model.operation(ANEURALNETWORKS_IF, {chosen, yes, no, in}, {out});
}

int add_if(const Type& condition) { return add_if(condition, make_relu(kTensor), make_relu(kTensor)); }

// y = RELU(x) in `levels` models, each of which has two references to the one inside it.
std::vector<ModelBuilder> nested_ifs(size_t levels, bool both_branches) {
  std::vector<ModelBuilder> models;
  models.push_back(make_relu(kTensor));
  for (size_t level = 1; level < levels; ++level) {
    ModelBuilder model;
    const uint32_t condition = model.constant<uint8_t>(kBool, {1}, {1});
    const uint32_t yes = model.reference(models.back());
    const uint32_t no = model.reference(both_branches ? models.back() : models.front());
    const uint32_t in = add(model, kTensor);
    const uint32_t out = add(model, kTensor);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, yes, no, in}, {out}), kOk);
    EXPECT_EQ(model.identify({in}, {out}), kOk);
    const int finished = model.finish();
    models.push_back(std::move(model));
    if (finished != kOk) break;
  }
  return models;
}

TEST(ControlFlowMisuse, ModelsNestTwoHundredLevelsDeepAndNoFurther) {
  EXPECT_EQ(nested_ifs(1000, false).size(), 201U);
  const auto models = nested_ifs(200, false);
  ASSERT_EQ(models.size(), 200U);
  for (const auto* device : devices()) {
    const auto compilation = compile_for(models.back().get(), device);
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << name_of(device);
    ANeuralNetworksExecution* created = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_create(compilation.get(), &created), kOk);
    const ExecutionPointer execution(created);
    const float in[2] = {-1, 2};
    float out[2] = {5, 5};
    EXPECT_EQ(ANeuralNetworksExecution_setInput(created, 0, nullptr, in, sizeof in), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(created, 0, nullptr, out, sizeof out), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_compute(created), kOk) << name_of(device);
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(out[1], 2);
  }
}

TEST(ControlFlowMisuse, ModelsThatDoubleWithEachLevelEndAtAMillionOperations) {
  EXPECT_LT(nested_ifs(100, true).size(), 25U) << "2^20 operations";
}

TEST(ControlFlowMisuse, If) {
  const Type one_bool{kBool, {1}};
  const Type wide{kQuant, {2}, 1.0F};
  const Type narrow{kQuant, {2}, 0.5F};
  check_cases({
      {0, "an IF that fits", kOk, NNVK_CALL(add_if(one_bool))},
      {220, "no values yet", kBadData,
       [&] {
         ModelBuilder model;
         const uint32_t condition = add(model, one_bool);
         const uint32_t yes = model.operand(ANEURALNETWORKS_MODEL);
         const uint32_t no = model.operand(ANEURALNETWORKS_MODEL);
         const uint32_t in = add(model, kTensor);
         const uint32_t out = add(model, kTensor);
         return model.operation(ANEURALNETWORKS_IF, {condition, yes, no, in}, {out});
       }},
      {221, "2 inputs", kBadData,
       [&] {
         const ModelBuilder branch = make_relu(kTensor);
         ModelBuilder model;
         const uint32_t condition = add(model, one_bool);
         const uint32_t yes = model.reference(branch);
         const uint32_t out = add(model, kTensor);
         return model.operation(ANEURALNETWORKS_IF, {condition, yes}, {out});
       }},
      {222, "condition {2}", kBadData, NNVK_CALL(add_if({kBool, {2}}))},
      {223, "condition of unknown rank", kBadData, NNVK_CALL(add_if({kBool, {}}))},
      {224, "condition is BOOL", kBadData, NNVK_CALL(add_if({ANEURALNETWORKS_BOOL, {}}))},
      {225, "other number of inputs", kBadData,
       NNVK_CALL(add_if(one_bool, make_branch({kTensor, kTensor}, {kTensor}), make_relu(kTensor)))},
      {226, "other output type in the else-model", kBadData,
       NNVK_CALL(add_if(one_bool, make_relu(kTensor), make_branch({kTensor}, {{ANEURALNETWORKS_TENSOR_FLOAT16, {2}}})))},
      {227, "other scale of an input", kBadData, NNVK_CALL(add_if(one_bool, make_relu(wide), make_relu(narrow), wide))},
      {0, "other dimensions", kBadData, NNVK_CALL(add_if(one_bool, make_relu(kTensor), make_relu({kFloat, {3}})))},
      {228, "branch dims unspecified", kOk, NNVK_CALL(add_if(one_bool, make_relu({kFloat, {0}}), make_relu({kFloat, {0}})))},
  });
}

// A finished condition: EQUAL of the first input with itself, as many times as there are outputs.
ModelBuilder make_condition(const std::vector<Type>& inputs, const std::vector<Type>& outputs) {
  ModelBuilder model;
  std::vector<uint32_t> in;
  std::vector<uint32_t> out;
  for (const Type& type : inputs) in.push_back(add(model, type));
  for (const Type& type : outputs) {
    out.push_back(add(model, type));
    EXPECT_EQ(model.operation(ANEURALNETWORKS_EQUAL, {in[0], in[0]}, {out.back()}), kOk);
  }
  model.finish(in, out);
  return model;
}

int add_while(const ModelBuilder& condition, const ModelBuilder& body, const std::vector<Type>& inputs,
              const std::vector<Type>& outputs) {
  ModelBuilder model;
  std::vector<uint32_t> in{model.reference(condition), model.reference(body)};
  std::vector<uint32_t> out;
  for (const Type& type : inputs) in.push_back(add(model, type));
  for (const Type& type : outputs) out.push_back(add(model, type));
  return model.operation(ANEURALNETWORKS_WHILE, in, out);
}

TEST(ControlFlowMisuse, While) {
  const Type x{kFloat, {1}};
  const Type one_bool{kBool, {1}};
  const Type half{ANEURALNETWORKS_TENSOR_FLOAT16, {1}};
  check_cases({
      {0, "a WHILE that fits", kOk, NNVK_CALL(add_while(make_condition({x}, {one_bool}), make_relu(x), {x}, {x}))},
      {229, "condition with 2 outputs", kBadData,
       NNVK_CALL(add_while(make_condition({x}, {one_bool, one_bool}), make_relu(x), {x}, {x}))},
      {230, "condition of two values", kBadData,
       [&] {
         const Type two{kFloat, {2}};
         return add_while(make_condition({two}, {{kBool, {2}}}), make_relu(two), {two}, {two});
       }},
      {230, "condition is not a BOOL8", kBadData, NNVK_CALL(add_while(make_relu(x), make_relu(x), {x}, {x}))},
      {231, "body with fewer outputs", kBadData,
       NNVK_CALL(add_while(make_condition({x, x}, {one_bool}), make_branch({x, x}, {x}), {x, x}, {x, x}))},
      {232, "body with more outputs than inputs", kBadData,
       NNVK_CALL(add_while(make_condition({x}, {one_bool}), make_branch({x}, {x, x}), {x}, {x}))},
      {233, "body that changes the type", kBadData,
       NNVK_CALL(add_while(make_condition({x}, {one_bool}), make_branch({x}, {half}), {x}, {x}))},
      {234, "no loop values", kBadData, NNVK_CALL(add_while(make_condition({x}, {one_bool}), make_relu(x), {}, {x}))},
  });
}

}  // namespace
}  // namespace nnvk::test
