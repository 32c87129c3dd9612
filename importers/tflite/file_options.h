// The options of operators as a file stores them.
#pragma once

#include "importers/tflite/options.h"

namespace nnvk::importers::tflite {

// Returns the options in an operator's table, which the caller has verified; monostate if it has none of the known kinds.
OperatorOptions file_options(const format::Operator& table);

}  // namespace nnvk::importers::tflite
