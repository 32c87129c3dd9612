// MEAN and the reductions.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Reduction {
  std::vector<int32_t> axes;
  Values values{};
  bool keep = false;
};

void declare(Draft& c, int32_t operation, const Tensor& in, const Reduction& p) {
  c.input(in, p.values);
  c.int32s(p.axes);
  if (operation == ANEURALNETWORKS_MEAN) {
    c.int32(p.keep ? 1 : 0);
  } else {
    c.boolean(p.keep);
  }
  c.output(in);
}

// Returns values for a reduction; those for products keep the product near one.
Values usual_values(int32_t operation) { return operation == ANEURALNETWORKS_REDUCE_PROD ? reals(0.75, 1.25) : Values{}; }

struct Axes {
  std::string name;
  Dims shape;
  std::vector<int32_t> axes;
};

const Axes kAxes[] = {
    {"all_of_1", {17}, {0}},
    {"first_of_2", {5, 7}, {0}},
    {"last_of_2", {5, 65}, {1}},
    {"last_of_2_negative", {3, 31}, {-1}},
    {"both", {4, 8}, {0, 1}},
    {"twice_the_same", {4, 5, 3}, {1, -2}},
    {"middle_of_3", {3, 4, 5}, {1}},
    {"outer_of_3", {2, 4, 3}, {0, 2}},
    {"height_and_width", {2, 4, 5, 3}, {1, 2}},
    {"last_two_of_4", {2, 3, 4, 7}, {-1, -2}},
    {"first_of_4", {3, 2, 2, 5}, {0}},
    {"all_of_4", {2, 3, 2, 3}, {3, 2, 1, 0}},
};

// Returns values whose result is exact in any order: few are not one (product) or zero (sum); only the last truth value differs.
Values exact_values(int32_t operation, uint64_t count) {
  switch (operation) {
    case ANEURALNETWORKS_REDUCE_PROD:
      return each([](uint64_t i) { return i % 1009 == 7 && i % 3 != 1 ? -1.0 : 1.0; });
    case ANEURALNETWORKS_REDUCE_SUM:
      return each([](uint64_t i) { return i % 1009 != 7 ? 0.0 : i % 2 == 0 ? -1.0 : i % 3 == 0 ? 2.0 : 1.0; });
    case ANEURALNETWORKS_REDUCE_ALL:
      return each([count](uint64_t i) { return i + 1 < count ? 1.0 : 0.0; });
    case ANEURALNETWORKS_REDUCE_ANY:
      return each([count](uint64_t i) { return i + 1 < count ? 0.0 : 1.0; });
    case ANEURALNETWORKS_MEAN:
      return {};
    default:  // the largest is the last, the smallest the first
      return each([count](uint64_t i) { return 8 * static_cast<double>(i) / static_cast<double>(count) - 4; });
  }
}

// More elements than one invocation can or should reduce in one dispatch, for all arrangements of kept and reduced dimensions.
const Axes kLongAxes[] = {{"70001", {70001}, {0}},
                          {"3x40000", {3, 40000}, {1}},
                          {"20001x5", {20001, 5}, {0}},
                          {"20001x8", {20001, 8}, {0}},
                          {"outer", {130, 3, 131, 2}, {0, 2}},
                          {"separate", {2, 17000, 3, 3}, {-1, 1}},
                          // Few results, which work groups share: results of a row, of rows, planes and planes of quads, of rows
                          // shorter than a group, and of a whole image.
                          {"1x1001", {1, 1001}, {1}},
                          {"67x130", {67, 130}, {1}},
                          {"plane", {2, 28, 30, 6}, {1, 2}},
                          {"quads", {2, 28, 30, 8}, {1, 2}},
                          {"narrow", {700, 9, 2}, {0, 2}},
                          {"whole_image", {1, 112, 112, 24}, {0, 1, 2, 3}}};

void add_edges(Rows& rows, int32_t operation, int32_t type) {
  for (const auto& row : kLongAxes) {
    auto& edge = rows.edge(operation, type, row.name, [=](Draft& c) {
      if (operation == ANEURALNETWORKS_MEAN) c.tolerance(1e-4, 1e-4);
      declare(c, operation, tensor(type, row.shape), {row.axes, exact_values(operation, element_count(row.shape))});
    });
    const bool one_mean = operation == ANEURALNETWORKS_MEAN && element_count(row.shape) > 100'000 && row.axes.size() == 4;
    if (one_mean && (type == kQuant8 || type == kQuant8Signed))
      edge.same_for_all_seeds("the mean of so many bytes is always the same byte");
  }
  for (const auto& row : std::vector<Axes>{{"image", {2, 3, 5, 8}, {1, 2}},
                                           {"wide", {1, 7, 7, 64}, {1, 2}},
                                           {"ends", {2, 3, 5, 8}, {0, 3}},
                                           {"inner_quads", {2, 3, 4, 8}, {0, 2}},
                                           {"outer_two", {2, 3, 5, 8}, {-4, -2}},
                                           {"ones", {1, 1, 1, 1}, {2, 2, -2}}}) {
    if (type == kBool8 && element_count(row.shape) > 200) continue;  // for so many elements the result is always the same
    rows.edge(operation, type, row.name, [=](Draft& c) {
      declare(c, operation, tensor(type, row.shape), {row.axes, usual_values(operation), true});
    });
  }
  if (tensor(type, {}).scale == 0 && type != kBool8) {
    const Values odd = listed({kNan,       1,          kNan,       kNan, kNan, kNan, kInfinity, kInfinity,  kInfinity,
                               -kInfinity, -kInfinity, -kInfinity, kNan, -2,   -3,   0,         kInfinity,  -kInfinity,
                               0,          kInfinity,  2,          kNan, 0,    5,    -0.0,      -kInfinity, 1,
                               kInfinity,  3,          -1,         kNan, 1,    2,    1e30,      1e30,       0});
    for (const int32_t axis : {0, 1}) {
      rows.edge(operation, type, "odd_values_" + std::to_string(axis), [=](Draft& c) {
        declare(c, operation, tensor(type, {12, 3}), {{axis}, odd});
      });
    }
  }
}

void add_byte_edges(Rows& rows) {
  for (const int32_t operation : {ANEURALNETWORKS_REDUCE_ALL, ANEURALNETWORKS_REDUCE_ANY}) {  // any byte but 0 is true
    const std::vector<double> bytes{2, 255, 128, 1, 0, 3, 0, 0, 0, 64, 64, 64};
    for (const int32_t axis : {0, 1}) {
      rows.edge(operation, kBool8, "bytes_" + std::to_string(axis), [=](Draft& c) {
        declare(c, operation, tensor(kBool8, {4, 3}), {{axis}, each_stored([=](uint64_t i) { return bytes[i]; })});
      });
    }
  }
  for (const int32_t type : kBytes) {  // sums that 32 bits do not hold, of an average that rounds down
    rows.edge(ANEURALNETWORKS_MEAN, type, "beyond_32_bits", [=](Draft& c) {
      const double value = type == kQuant8 ? 255 : -127;
      declare(c, ANEURALNETWORKS_MEAN, tensor(type, {8200, 2050}).quantized(0.5f, 0),
              {{0, 1}, each_stored([=](uint64_t i) { return i == 5 ? 0 : value; })});
    });
  }
}

}  // namespace

void add_reduce_rows(Rows& rows) {
  const auto add = [&](int32_t operation, int32_t type) {
    for (const auto& row : kAxes) {
      for (const bool keep : {false, true}) {
        // ALL and ANY of many random values are nearly always the same, so only short inputs are useful.
        if (type == kBool8 && element_count(row.shape) > 60) continue;
        auto& added = rows.add(operation, type, keep ? "keep" : "drop", row.name, [=](Draft& c) {
          declare(c, operation, tensor(type, row.shape), {row.axes, usual_values(operation), keep});
        });
        const bool everything = row.name.starts_with("all") || row.name == "both";
        if (type == kBool8 && everything) added.same_for_all_seeds("one truth value of many elements");
      }
    }
    add_edges(rows, operation, type);
    for (const int32_t axis : {3, -4}) {
      rows.refused(operation, type, "axis_" + std::to_string(axis), [=](Draft& c) {
        declare(c, operation, tensor(type, {2, 3, 4}), {{axis}, usual_values(operation)});
      });
    }
  };
  for (const int32_t type : kFour) {
    for (const int32_t operation : {ANEURALNETWORKS_MEAN, ANEURALNETWORKS_REDUCE_MAX, ANEURALNETWORKS_REDUCE_MIN}) {
      add(operation, type);
    }
  }
  for (const int32_t type : kFloats) {
    for (const int32_t operation : {ANEURALNETWORKS_REDUCE_PROD, ANEURALNETWORKS_REDUCE_SUM}) add(operation, type);
  }
  add(ANEURALNETWORKS_REDUCE_ALL, kBool8);
  add(ANEURALNETWORKS_REDUCE_ANY, kBool8);
  add_byte_edges(rows);
}

}  // namespace nnvk::tools::conformance
