// The interface of the generators: a function per family adds rows, and each row makes one case.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "core/operations/family_list.h"
#include "tools/conformance/case_list.h"
#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// One generated case.
class Row {
 public:
  int32_t operation = 0;
  std::string type;
  std::string dotted;
  std::function<void(Draft&)> build;

  bool must_be_refused = false;
  bool varied = true;
  bool open_outputs = false;         // the device under test does not receive the shapes of the outputs
  bool constants_as_inputs = false;  // constant tensors become inputs of the execution
  bool scalars_as_inputs = false;    // so do constant scalars
  bool omitted_as_inputs = false;    // omitted operands become inputs that the execution omits
  bool computed = false;             // constant tensors become inputs, and the operation reads copies of all inputs
  bool inputs_as_constants = false;  // all inputs but the first become constants of the model
  bool relaxed = false;
  std::string fixed_because;  // why the result does not depend on the seed; "" when it does

  // Marks the case as one that must be refused: building, compiling or computing it must give an error. Returns the row.
  Row& refused();
  // Marks the result as the same for every seed, with the reason. Returns the row.
  Row& same_for_all_seeds(std::string why);
  // Prevents variations of this row (see add_variations()). Returns the row.
  Row& without_variations();

  // Makes the case for a seed, without expectations.
  VectorCase make(uint64_t seed) const;
};

class Rows {
 public:
  // Adds the case nnvk.<family>.<operation>.<type>.<group>.<name>, in lower case. `build` declares the operands in the
  // operation's order, outputs last. It runs later and more than once, so it must capture by copy.
  Row& add(int32_t operation, const std::string& type, const std::string& group, const std::string& name,
           std::function<void(Draft&)> build);
  Row& add(int32_t operation, int32_t type, const std::string& group, const std::string& name, std::function<void(Draft&)> build);

  // Adds the case <name> to the group "edge", without variations. The group holds special values, scales and sizes, which reveal
  // more errors than other cases.
  Row& edge(int32_t operation, const std::string& type, const std::string& name, std::function<void(Draft&)> build);
  Row& edge(int32_t operation, int32_t type, const std::string& name, std::function<void(Draft&)> build);

  // These functions add a case that must give an error while it is built, compiled or computed, to the group "refused" or "edge".
  Row& refused(int32_t operation, int32_t type, const std::string& name, std::function<void(Draft&)> build);
  Row& refused_edge(int32_t operation, int32_t type, const std::string& name, std::function<void(Draft&)> build);

  bool contains(int32_t operation, int32_t type, const std::string& group, const std::string& name) const;

  // Adds variations of the first row of every operation, type and group, unless it has without_variations(): all tensors
  // computed, and omitted operands as inputs. The first row of every operation and type gets further variations: unknown output
  // shapes; constant tensors, or scalars, as inputs; inputs but the first as constants; float32 relaxed to float16.
  void add_variations();

  const std::deque<Row>& all() const { return rows_; }

 private:
  std::deque<Row> rows_;  // references stay valid
};

// Returns all rows of all families, with variations.
const Rows& generated_rows();

// Makes cases that a run can choose from all rows.
std::vector<CaseEntry> generated_entries(uint64_t seed);

// Returns shapes around the edges of kernel tiles: {1}, {3}, ... {65}, primes and odd innermost sizes, of ranks 1 to `max_rank`.
std::vector<Dims> edge_shapes(size_t max_rank);
// Two shapes that broadcast against each other. The list covers every dimension and different ranks up to `max_rank`.
struct Broadcast {
  Dims a;
  Dims b;
};
std::vector<Broadcast> broadcast_pairs(size_t max_rank);
std::string label(const Broadcast& pair);  // "2x1_3"

// Writes the numbers of a parameter as text, such as "2_-1_3"; "none" without any.
std::string list_label(const std::vector<int32_t>& values);
// Returns few different values, for operations that select the first of several equal ones.
Values with_ties(int32_t type);

// Declares a function per family; the family's file defines it.
#define NNVK_ROWS(family) void add_##family##_rows(Rows& rows);
NNVK_FAMILIES(NNVK_ROWS)
#undef NNVK_ROWS

}  // namespace nnvk::tools::conformance
