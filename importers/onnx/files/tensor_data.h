// The bytes of a stored tensor: raw, in typed fields, or in another file.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "importers/onnx/graph.h"
#include "onnx_subset.pb.h"
#include "tools/nnapi/result.h"

namespace nnvk::importers::onnx {

// Reads a constant value. Its data points into `tensor`, which must stay, or into bytes that the function adds to `storage`.
tools::Result<Value> read_tensor(const format::Tensor& tensor, const std::filesystem::path& folder,
                                 std::vector<std::shared_ptr<const void>>& storage);

}  // namespace nnvk::importers::onnx
