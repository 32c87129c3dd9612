// The names of tools/nnapi that every importer uses: errors as values, the model builder and its operands.
#pragma once

#include "tools/nnapi/model_builder.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/result.h"

namespace nnvk::importers {

using tools::Error;
using tools::fail;
using tools::is_quant8;
using tools::ModelBuilder;
using tools::OperandInfo;
using tools::Result;
using tools::Status;
using tools::to_string;

}  // namespace nnvk::importers
