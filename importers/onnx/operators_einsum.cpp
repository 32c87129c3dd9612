// Einsum: sums of products over named dimensions, as transpositions, one product of matrices per operand, and reductions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/products.h"

namespace nnvk::importers::onnx {
namespace {

// A tensor whose dimensions have names. An ellipsis becomes names from 0x80 on.
struct Named {
  Tensor tensor;
  std::string names;
};

bool has(const std::string& names, char name) { return names.find(name) != std::string::npos; }

// Returns the names of a term for a tensor of this rank. `ellipsis`: how many dimensions an ellipsis stands for.
Result<std::string> spelled(const std::string& term, size_t ellipsis) {
  std::string names;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == '.') {
      if (term.substr(i, 3) != "...") return fail("points in its equation must come in threes");
      for (size_t e = 0; e < ellipsis; ++e) names += static_cast<char>(0x80 + e);
      i += 2;
    } else {
      if (has(names, term[i])) return fail("NNAPI has no diagonal, which its equation asks for");
      names += term[i];
    }
  }
  return names;
}

// Emits the dimensions in another order of names.
Result<Tensor> ordered(Emitter& emitter, const Named& operand, const std::string& names) {
  std::vector<int64_t> permutation;
  for (const char name : names) permutation.push_back(static_cast<int64_t>(operand.names.find(name)));
  return transpose(emitter, operand.tensor, permutation);
}

// Sums over the dimensions that nothing else needs.
Result<Named> summed(Emitter& emitter, const Named& operand, const std::string& needed) {
  std::vector<int64_t> axes;
  Named result{.tensor = operand.tensor, .names = ""};
  for (size_t d = 0; d < operand.names.size(); ++d) {
    if (has(needed, operand.names[d])) {
      result.names += operand.names[d];
    } else {
      axes.push_back(static_cast<int64_t>(d));
    }
  }
  TOOLS_ASSIGN(result.tensor, reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, operand.tensor, axes, false));
  return result;
}

int64_t size_of(const Named& operand, char name) { return operand.tensor.dimensions[operand.names.find(name)]; }

int64_t product_of(const Dimensions& sizes) { return static_cast<int64_t>(element_count(sizes)); }

// Emits the product of two operands, with the names that are needed later.
Result<Named> multiplied(Emitter& emitter, Named a, Named b, const std::string& needed) {
  TOOLS_ASSIGN(a, summed(emitter, a, needed + b.names));
  TOOLS_ASSIGN(b, summed(emitter, b, needed + a.names));
  std::string batch, inner, left, right;
  for (const char name : a.names) {
    if (!has(b.names, name)) {
      left += name;
    } else {
      (has(needed, name) ? batch : inner) += name;
    }
  }
  for (const char name : b.names) {
    if (!has(a.names, name)) right += name;
  }
  Dimensions batch_sizes, inner_sizes, left_sizes, right_sizes;
  for (const char name : left) left_sizes.push_back(size_of(a, name));
  for (const char name : right) right_sizes.push_back(size_of(b, name));
  for (const auto& [names, sizes] : {std::pair{&batch, &batch_sizes}, {&inner, &inner_sizes}}) {
    for (const char name : *names) sizes->push_back(std::max(size_of(a, name), size_of(b, name)));
  }
  const auto joined = [](std::initializer_list<const Dimensions*> parts) {
    Dimensions all;
    for (const Dimensions* part : parts) all.insert(all.end(), part->begin(), part->end());
    return all;
  };
  TOOLS_ASSIGN(Tensor first, ordered(emitter, a, batch + left + inner));
  TOOLS_ASSIGN(Tensor second, ordered(emitter, b, batch + inner + right));
  TOOLS_ASSIGN(first, expand(emitter, first, joined({&batch_sizes, &left_sizes, &inner_sizes})));
  TOOLS_ASSIGN(second, expand(emitter, second, joined({&batch_sizes, &inner_sizes, &right_sizes})));
  TOOLS_ASSIGN(first, reshape(emitter, first, {product_of(batch_sizes), product_of(left_sizes), product_of(inner_sizes)}));
  TOOLS_ASSIGN(second, reshape(emitter, second, {product_of(batch_sizes), product_of(inner_sizes), product_of(right_sizes)}));
  TOOLS_ASSIGN(const Tensor product, matrix_product(emitter, first, second));
  TOOLS_ASSIGN(Tensor shaped, reshape(emitter, product, joined({&batch_sizes, &left_sizes, &right_sizes})));
  return Named{.tensor = std::move(shaped), .names = batch + left + right};
}

// Returns the result's names where the equation does not give them: those that appear once, in the order of their letters.
std::string implicit_names(const std::vector<std::string>& terms) {
  std::map<char, int> counts;
  bool ellipsis = false;
  for (const std::string& term : terms) {
    for (const char name : term) {
      if (name == '.') ellipsis = true;
      if (name != '.') ++counts[name];
    }
  }
  std::string names = ellipsis ? "..." : "";
  for (const auto& [name, count] : counts) {
    if (count == 1) names += name;
  }
  return names;
}

Result<Tensors> add_einsum(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(std::string equation, call.text("equation", ""));
  std::erase(equation, ' ');
  TOOLS_ASSIGN(const Tensors inputs, call.inputs());
  const size_t arrow = equation.find("->");
  std::vector<std::string> terms(1);
  for (const char c : equation.substr(0, arrow)) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  if (terms.size() != inputs.size()) return fail("its equation must have a term for each input");
  const std::string result_term = arrow == std::string::npos ? implicit_names(terms) : equation.substr(arrow + 2);
  std::vector<Named> operands;
  size_t ellipsis = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool open = has(terms[i], '.');
    const size_t named = terms[i].size() - (open ? 3 : 0);
    if (open && (terms[i].size() < 3 || inputs[i].rank() < named))
      return fail("its equation does not fit " + describe(inputs[i]));
    const size_t rest = open ? inputs[i].rank() - named : 0;
    if (open && ellipsis != 0 && rest != ellipsis)
      return fail("the ellipses of its equation must stand for the same number of dimensions");
    if (open) ellipsis = rest;
    TOOLS_ASSIGN(std::string names, spelled(terms[i], rest));
    if (names.size() != inputs[i].rank()) return fail("its equation does not fit " + describe(inputs[i]));
    TOOLS_TRY(OperatorCall::expect_fixed(inputs[i], "it"));
    operands.push_back({inputs[i], std::move(names)});
  }
  TOOLS_ASSIGN(const std::string result_names, spelled(result_term, ellipsis));
  Named result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string needed = result_names;
    for (size_t k = i + 1; k < operands.size(); ++k) needed += operands[k].names;
    TOOLS_ASSIGN(result, multiplied(emitter, result, operands[i], needed));
  }
  TOOLS_ASSIGN(result, summed(emitter, result, result_names));
  if (result.names.size() != result_names.size())
    return fail("the result of its equation may have only letters that an input has");
  return one(ordered(emitter, result, result_names));
}

constexpr OperatorRow kRows[] = {{"", "Einsum", add_einsum, 12}};

}  // namespace

std::span<const OperatorRow> einsum_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
