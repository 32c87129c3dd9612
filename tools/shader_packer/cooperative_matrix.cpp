// Rewrites instruction by instruction. The numbers are those of the SPIR-V specification and of its two extensions.
#include "tools/shader_packer/cooperative_matrix.h"

#include <cstring>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nnvk::shader_packer {
namespace {

enum Op : uint32_t {
  kExtension = 10,
  kCapability = 17,
  kTypeInt = 21,
  kTypeVector = 23,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kTypeMatrixNv = 5358,
  kLoadNv = 5359,
  kStoreNv = 5360,
  kMulAddNv = 5361,
  kLengthNv = 5362,
  kTypeMatrixKhr = 4456,
  kLoadKhr = 4457,
  kStoreKhr = 4458,
  kMulAddKhr = 4459,
  kLengthKhr = 4460,
};
constexpr uint32_t kMatricesNv = 5357;  // capabilities
constexpr uint32_t kMatricesKhr = 6022;
constexpr std::string_view kExtensionNv = "SPV_NV_cooperative_matrix";
constexpr std::string_view kExtensionKhr = "SPV_KHR_cooperative_matrix";
constexpr size_t kHeaderWords = 5;
constexpr size_t kBound = 3;          // index of the header's word that all ids are less than
constexpr uint32_t kAllSigned = 0xF;  // bits of both sides, accumulator and result

enum Use : uint32_t { kLeft = 0, kRight = 1, kAccumulator = 2 };

struct Instruction {
  uint32_t op = 0;
  std::span<const uint32_t> operands;  // result type and result included
};

template <class Visit>
void for_each_instruction(const std::vector<uint32_t>& module, const Visit& visit) {
  for (size_t at = kHeaderWords; at < module.size();) {
    const uint32_t words = module[at] >> 16;
    if (words == 0 || at + words > module.size()) throw std::runtime_error("SPIR-V module ends within an instruction");
    visit(Instruction{module[at] & 0xFFFFU, std::span(module).subspan(at + 1, words - 1)});
    at += words;
  }
}

std::vector<uint32_t> joined(std::span<const uint32_t> head, std::initializer_list<uint32_t> middle,
                             std::span<const uint32_t> tail = {}) {
  std::vector<uint32_t> words(head.begin(), head.end());
  words.insert(words.end(), middle);
  words.insert(words.end(), tail.begin(), tail.end());
  return words;
}

void append(std::vector<uint32_t>& to, uint32_t op, std::span<const uint32_t> operands) {
  to.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op);
  to.insert(to.end(), operands.begin(), operands.end());
}

// Returns a literal string of an instruction.
std::string_view text_of(std::span<const uint32_t> words) {
  const char* text = reinterpret_cast<const char*>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

std::vector<uint32_t> words_of(std::string_view text) {
  std::vector<uint32_t> words(text.size() / sizeof(uint32_t) + 1);  // ends with at least one zero
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

// Facts about the whole module that are needed to rewrite an instruction.
struct Facts {
  uint32_t uint_type = 0;
  std::set<uint32_t> signed_types;         // of integers
  std::map<uint32_t, uint32_t> component;  // matrix type -> type of its elements
  std::map<uint32_t, uint32_t> booleans;   // constant -> 0 or 1
  std::map<uint32_t, uint32_t> type;       // value -> its matrix type
  std::map<uint32_t, uint32_t> use;        // matrix type -> Use
};

void add_use(Facts& facts, uint32_t type, uint32_t use) {
  const auto [known, is_new] = facts.use.emplace(type, use);
  if (!is_new && known->second != use) {
    throw std::runtime_error(
        "a cooperative matrix type is used as more than one of left side, right side and sum of products: "
        "give rows, columns and depth specialization constants of their own");
  }
}

Facts read_facts(const std::vector<uint32_t>& module) {
  Facts facts;
  for_each_instruction(module, [&](const Instruction& i) {
    if (i.op == kTypeInt && i.operands[1] == 32 && i.operands[2] == 0) facts.uint_type = i.operands[0];
    if (i.op == kTypeInt && i.operands[2] == 1) facts.signed_types.insert(i.operands[0]);
    if (i.op == kTypeMatrixNv) facts.component[i.operands[0]] = i.operands[1];
    if (i.op == kConstantTrue || i.op == kConstantFalse) facts.booleans[i.operands[1]] = i.op == kConstantTrue ? 1 : 0;
    // Instructions with a result begin with its type; no other instruction begins with a type.
    if (i.operands.size() >= 2 && facts.component.contains(i.operands[0]) && i.op != kTypeMatrixNv) {
      facts.type[i.operands[1]] = i.operands[0];
    }
  });
  for_each_instruction(module, [&](const Instruction& i) {
    if (i.op != kMulAddNv) return;
    add_use(facts, i.operands[0], kAccumulator);
    add_use(facts, facts.type.at(i.operands[2]), kLeft);
    add_use(facts, facts.type.at(i.operands[3]), kRight);
    add_use(facts, facts.type.at(i.operands[4]), kAccumulator);
  });
  for (const auto& [type, component] : facts.component) {
    if (!facts.use.contains(type)) throw std::runtime_error("a cooperative matrix type takes part in no product");
  }
  return facts;
}

// Rewrites instructions one by one.
class Rewriter {
 public:
  explicit Rewriter(const std::vector<uint32_t>& module) : facts_(read_facts(module)) {
    made_.assign(module.begin(), module.begin() + kHeaderWords);
    numbers_ = made_[kBound];  // three new ids
    made_[kBound] += 3;
  }

  void rewrite(const Instruction& i) {
    const auto o = i.operands;
    switch (i.op) {
      case kCapability:
        return append(made_, i.op, joined({}, {o[0] == kMatricesNv ? kMatricesKhr : o[0]}));
      case kExtension:
        return append(made_, i.op, text_of(o) == kExtensionNv ? words_of(kExtensionKhr) : joined(o, {}));
      case kTypeMatrixNv:
        add_numbers();
        return append(made_, kTypeMatrixKhr, joined(o, {number(facts_.use.at(o[0]))}));
      case kLoadNv:  // type, result, pointer, stride, column by column, memory operands
        return append(made_, kLoadKhr, joined(o.first(3), {layout(o[4]), o[3]}, o.subspan(5)));
      case kStoreNv:  // pointer, matrix, stride, column by column, memory operands
        return append(made_, kStoreKhr, joined(o.first(2), {layout(o[3]), o[2]}, o.subspan(4)));
      case kMulAddNv:
        return append(made_, kMulAddKhr, is_signed(o[0]) ? joined(o, {kAllSigned}) : joined(o, {}));
      case kLengthNv:
        return append(made_, kLengthKhr, o);
      default:
        return append(made_, i.op, o);
    }
  }

  std::vector<uint32_t> take() { return std::move(made_); }

 private:
  // Adds the constants 0, 1 and 2 before the first matrix type. Types refer to them for a use, loads and stores for a layout.
  void add_numbers() {
    if (has_numbers_) return;
    if (facts_.uint_type == 0) throw std::runtime_error("sizes of cooperative matrices are unsigned");
    for (uint32_t value = 0; value < 3; ++value) append(made_, kConstant, joined({}, {facts_.uint_type, number(value), value}));
    has_numbers_ = true;
  }
  uint32_t number(uint32_t value) const { return numbers_ + value; }
  uint32_t layout(uint32_t boolean) const {
    const auto found = facts_.booleans.find(boolean);
    if (found == facts_.booleans.end()) throw std::runtime_error("the layout of a cooperative matrix is not a constant");
    return number(found->second);
  }
  bool is_signed(uint32_t type) const { return facts_.signed_types.contains(facts_.component.at(type)); }

  Facts facts_;
  std::vector<uint32_t> made_;
  uint32_t numbers_ = 0;
  bool has_numbers_ = false;
};

}  // namespace

bool has_nv_matrices(const std::vector<uint32_t>& module) {
  bool found = false;
  for_each_instruction(module, [&](const Instruction& i) { found |= i.op == kCapability && i.operands[0] == kMatricesNv; });
  return found;
}

std::vector<uint32_t> to_khr_matrices(const std::vector<uint32_t>& module) {
  Rewriter rewriter(module);
  for_each_instruction(module, [&](const Instruction& i) { rewriter.rewrite(i); });
  return rewriter.take();
}

std::vector<uint32_t> without_matrix_types(const std::vector<uint32_t>& module) {
  std::vector<uint32_t> made(module.begin(), module.begin() + kHeaderWords);
  for_each_instruction(module, [&](const Instruction& i) {
    if (i.op == kTypeMatrixNv) return append(made, kTypeVector, joined(i.operands.first(2), {4}));
    append(made, i.op, i.operands);
  });
  return made;
}

}  // namespace nnvk::shader_packer
