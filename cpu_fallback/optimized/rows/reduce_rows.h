// Many elements folded into one: sums, extremes, products, and the positions of extremes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk::cpu {

enum class Fold : uint8_t { kSum, kLargest, kSmallest, kProduct };

// Elements that fold together, for `columns` results side by side: row r, column c at in[r * step + c].
template <class T>
struct FoldedColumns {
  const T* in = nullptr;
  size_t rows = 0;
  size_t step = 0;
  size_t columns = 0;
};

// Returns the value before the first element: 0 for sums, 1 for products, the least or greatest finite number for extremes.
float float_start(Fold fold);
int32_t byte_start(Fold fold);

// Folds floats into the values in `out`. NaN is never an extreme, 0 makes every product 0. It folds row by row, but a single
// column of step 1 in another order, unless it multiplies.
void fold_floats(Fold fold, const FoldedColumns<float>& columns, float* out);

// Folds 8-bit numbers like the function above. A sum may have at most 2^23 elements; there are no products.
void fold_bytes(Fold fold, bool is_signed, const FoldedColumns<std::byte>& columns, int32_t* out);

// The kinds of elements in a search for the position of the first largest (smallest) element. A NaN wins only at position 0.
enum class ElementKind : uint8_t { kFloat, kInt, kUnsignedByte, kSignedByte };
struct ExtremeSearch {
  ElementKind kind{};
  bool is_largest = true;
  const std::byte* in = nullptr;
  int32_t* out = nullptr;
  size_t size = 0;  // elements that are compared
};
// Searches slices [first, end), one behind the other.
void find_extremes(const ExtremeSearch& search, size_t first, size_t end);
// Searches `columns` slices side by side; the elements of a slice are `step` apart.
void find_column_extremes(const ExtremeSearch& search, size_t columns, size_t step);

}  // namespace nnvk::cpu
