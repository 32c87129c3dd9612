// CONCATENATION, PACK.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void concatenate(Draft& c, const std::vector<Tensor>& parts, int32_t axis, const Tensor& out) {
  for (const auto& part : parts) c.input(part);
  c.int32(axis);
  c.output(out);
}

// Makes tensors that differ only in their size along `axis`: one for each element of `sizes`.
std::vector<Tensor> parts_of(int32_t type, Dims dims, size_t axis, const std::vector<uint32_t>& sizes) {
  std::vector<Tensor> parts;
  for (const uint32_t size : sizes) {
    dims[axis] = size;
    parts.push_back(tensor(type, dims));
  }
  return parts;
}

void pack(Draft& c, int32_t type, const Dims& shape, size_t axis, int count) {
  c.int32(static_cast<int32_t>(axis));
  for (int i = 0; i < count; ++i) c.input(tensor(type, shape));
  c.output(tensor(type, {}));
}

void add_concatenation(Rows& rows) {
  struct Parts {
    Dims shape;  // of the parts; the dimension `axis` is replaced by each part's size
    int32_t axis;
    std::vector<uint32_t> sizes;
  };
  const Parts kParts[] = {{{1}, 0, {3, 4, 1}},          {{3, 1}, 1, {5, 2}},       {{3, 1}, 1, {7, 8, 17, 1}},
                          {{1, 5}, 0, {2, 3}},          {{2, 1, 3}, 1, {4, 1}},    {{2, 3, 4, 1}, 3, {31, 65}},
                          {{2, 3, 1, 5}, 2, {1, 2, 3}}, {{1, 2, 3, 3}, 0, {2, 2}}, {{5, 1}, 1, {1, 1, 1, 1, 1, 1, 1, 1, 1}}};
  for (const int32_t type : kFour) {
    for (const auto& parts : kParts) {
      for (const bool requantize : {false, true}) {
        if (requantize && tensor(type, {}).scale == 0) continue;
        std::vector<int32_t> sizes(parts.sizes.begin(), parts.sizes.end());
        rows.add(ANEURALNETWORKS_CONCATENATION, type, requantize ? "other_quantization" : "axis",
                 dims_label(parts.shape) + "_axis_" + std::to_string(parts.axis) + "_" + list_label(sizes), [=](Draft& c) {
                   auto tensors = parts_of(type, parts.shape, static_cast<size_t>(parts.axis), parts.sizes);
                   for (size_t i = 1; requantize && i < tensors.size(); ++i) {
                     tensors[i] = tensors[i].quantized(tensors[i].scale * 1.25f, tensors[i].zero_point + 2);
                   }
                   concatenate(c, tensors, parts.axis, tensor(type, {}));
                 });
      }
    }
    for (const int32_t axis : {-1, 2}) {
      rows.refused(ANEURALNETWORKS_CONCATENATION, type, "axis_" + std::to_string(axis), [=](Draft& c) {
        concatenate(c, {2, tensor(type, {3, 4})}, axis, tensor(type, {}));
      });
    }
  }
}

void add_pack(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& shape : std::vector<Dims>{{6}, {3, 5}, {6, 7}, {2, 3, 4}, {2, 2, 6, 3}}) {
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        rows.add(ANEURALNETWORKS_PACK, type, "axis", dims_label(shape) + "_axis_" + std::to_string(axis),
                 [=](Draft& c) { pack(c, type, shape, axis, 3); });
      }
      rows.add(ANEURALNETWORKS_PACK, type, "axis", dims_label(shape) + "_behind",
               [=](Draft& c) { pack(c, type, shape, shape.size(), 5); });
    }
  }
}

void add_edges(Rows& rows) {
  for (const int32_t type : kFour) {
    for (const auto& sizes : std::vector<std::vector<uint32_t>>{{4, 8}, {3, 5}, {7}, {2, 4, 3}, {1, 2}, {1, 1, 1, 1, 1}}) {
      for (size_t axis = 0; axis < 3; ++axis) {
        for (const uint32_t other : {1, 3, 4}) {
          std::string name = "axis_" + std::to_string(axis) + "_of_" + std::to_string(other);
          for (const uint32_t size : sizes) name += "_" + std::to_string(size);
          rows.edge(ANEURALNETWORKS_CONCATENATION, type, name, [=](Draft& c) {
            concatenate(c, parts_of(type, {2, other, other}, axis, sizes), static_cast<int32_t>(axis), tensor(type, {}));
          });
        }
      }
    }
  }
  for (const int32_t type : kBytes) {
    const int32_t middle = type == kQuant8 ? 128 : 0;
    rows.edge(ANEURALNETWORKS_CONCATENATION, type, "quantizations", [=](Draft& c) {
      const Tensor out = tensor(type, {3, 7}).quantized(0.3f, middle);
      concatenate(c,
                  {tensor(type, {3, 50}).quantized(0.5f, middle + 3), tensor(type, {3, 41}).quantized(0.017f, middle - 90), out},
                  1, out);
    });
  }
}

}  // namespace

void add_concatenation_rows(Rows& rows) {
  add_concatenation(rows);
  add_pack(rows);
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
