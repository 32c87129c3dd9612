// NumPy arrays as the memory of a run, without copies if the array's memory is contiguous and aligned.
#pragma once

#include <pybind11/numpy.h>

#include <vector>

#include "python/compiled_shapes.h"

namespace nnvk::python {

// Arrays that fit the inputs of a model, in their order; contiguous and aligned.
struct InputArrays {
  std::vector<pybind11::array> arrays;

  Shapes shapes() const;
  // Returns the memory of the arrays, which must stay as long as it is used.
  std::vector<InputMemory> memory() const;
};

// Checks number, types and shapes of arrays. Copies an array only if it is not contiguous or not aligned. Throws InputError,
// which names the input, what it takes and what was given.
InputArrays take_arrays(const std::vector<importers::Port>& inputs, const std::vector<pybind11::array>& given);

// Makes arrays of made-up numbers in the shapes of the inputs, which must all be known.
InputArrays made_up_arrays(const std::vector<importers::Port>& inputs, const Shapes& shapes);

// Makes an array over the result of an output, whose memory it keeps. 64-bit integers get memory of their own, which
// widen_array() fills.
pybind11::array array_over(const importers::Port& port, const OutputMemory& output);
void widen_array(const importers::Port& port, const OutputMemory& output, pybind11::array& array);

}  // namespace nnvk::python
