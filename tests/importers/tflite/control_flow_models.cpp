#include "tests/importers/tflite/control_flow_models.h"

namespace nnvk::test {

using namespace format;

FileTensor one(float value) { return real({1}, {value}); }

namespace {

int constant_of(ModelFile& file, float value) { return file.add(fixed(one(value))); }

FileOptions branches(ModelFile& file, int then_graph, int else_graph) {
  return {BuiltinOptions_IfOptions, CreateIfOptions(file.builder(), then_graph, else_graph).Union()};
}

}  // namespace

std::vector<uint8_t> choice(int then_graph, int else_graph) {
  ModelFile file;
  const FileOptions options = branches(file, then_graph, else_graph);
  const int condition = file.add(mask({1}, {}));
  const int x = file.add(one(0));
  const int result = file.add(one(0));
  file.add_operator(BuiltinOperator_IF, {condition, x}, {result}, options);
  file.end_subgraph({condition, x}, {result});
  const int inner = file.add(one(0));
  const int added = file.add(one(0));
  file.add_operator(BuiltinOperator_ADD, {inner, constant_of(file, 1)}, {added});
  file.end_subgraph({inner}, {added});
  const int same = file.add(one(0));
  file.end_subgraph({same}, {same});
  return file.finish();
}

std::vector<uint8_t> loop(bool endless) {
  ModelFile file;
  const FileOptions options{BuiltinOptions_WhileOptions, CreateWhileOptions(file.builder(), 1, 2).Union()};
  std::vector<int> before, after;
  for (int i = 0; i < 3; ++i) before.push_back(file.add(one(0)));
  for (int i = 0; i < 3; ++i) after.push_back(file.add(one(0)));
  file.add_operator(BuiltinOperator_WHILE, before, after, options);
  file.end_subgraph(before, after);
  std::vector<int> values;
  for (int i = 0; i < 3; ++i) values.push_back(file.add(one(0)));
  const int goes_on = file.add(mask({}, {}));
  file.add_operator(BuiltinOperator_LESS, {values[0], values[2]}, {goes_on});
  file.end_subgraph(values, {goes_on});
  values.clear();
  for (int i = 0; i < 3; ++i) values.push_back(file.add(one(0)));
  const int next = file.add(one(0));
  const int doubled = file.add(one(0));
  if (endless) {
    file.add_operator(BuiltinOperator_WHILE, values, {next, doubled, file.add(one(0))},
                      {BuiltinOptions_WhileOptions, CreateWhileOptions(file.builder(), 1, 2).Union()});
  } else {
    file.add_operator(BuiltinOperator_ADD, {values[0], constant_of(file, 1)}, {next});
    file.add_operator(BuiltinOperator_MUL, {values[1], constant_of(file, 2)}, {doubled});
  }
  file.end_subgraph(values, {next, doubled, values[2]});
  return file.finish();
}

}  // namespace nnvk::test
