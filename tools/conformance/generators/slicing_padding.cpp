// MIRROR_PAD, PAD, PAD_V2, SLICE, STRIDED_SLICE.
#include <algorithm>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Padding {
  std::string name;
  Dims shape;
  std::vector<double> around;  // before and after each dimension
};

const Padding kPaddings[] = {
    {"nothing", {5}, {0, 0}},
    {"before", {7}, {3, 0}},
    {"after", {16}, {0, 1}},
    {"both_of_2", {3, 5}, {1, 2, 2, 1}},
    {"inner_of_3", {2, 3, 4}, {0, 0, 1, 1, 2, 3}},
    {"image", {2, 4, 5, 3}, {0, 0, 1, 2, 2, 1, 0, 0}},
    {"all_of_4", {2, 3, 3, 4}, {1, 1, 1, 2, 2, 1, 3, 2}},
};

// Declares the operands. MIRROR_PAD has a mode, PAD_V2 a value; PAD has neither.
void declare(Draft& c, int32_t operation, int32_t type, const Padding& p, int32_t mode = 0) {
  c.input(tensor(type, p.shape));
  c.constant(tensor(kInt32, {static_cast<uint32_t>(p.shape.size()), 2}), listed(p.around));
  if (operation == ANEURALNETWORKS_MIRROR_PAD) c.int32(mode);
  if (operation == ANEURALNETWORKS_PAD_V2) c.number(tensor(type, {}).scale == 0 ? -1.5 : 9, type);
  c.output(tensor(type, {}));
}

void add_padding(Rows& rows) {
  for (const auto& p : kPaddings) {
    for (const int32_t type : kFour) {
      for (const int32_t operation : {ANEURALNETWORKS_PAD, ANEURALNETWORKS_PAD_V2}) {
        rows.add(operation, type, "paddings", p.name, [=](Draft& c) { declare(c, operation, type, p); });
      }
    }
    for (const int32_t type : kFive) {
      for (const bool symmetric : {false, true}) {
        Padding mirrored = p;  // no more padding than there are elements to mirror
        for (size_t i = 0; i < mirrored.around.size(); ++i) {
          const double most = static_cast<double>(p.shape[i / 2]) - (symmetric ? 0 : 1);
          mirrored.around[i] = std::min(mirrored.around[i], most);
        }
        rows.add(ANEURALNETWORKS_MIRROR_PAD, type, symmetric ? "symmetric" : "reflect", p.name,
                 [=](Draft& c) { declare(c, ANEURALNETWORKS_MIRROR_PAD, type, mirrored, symmetric ? 1 : 0); });
      }
    }
  }
  const auto refuse = [&](int32_t operation, const std::string& name, const std::vector<double>& around, int32_t mode) {
    rows.refused(operation, kFloat32, name, [=](Draft& c) { declare(c, operation, kFloat32, {"", {3}, around}, mode); });
  };
  refuse(ANEURALNETWORKS_MIRROR_PAD, "reflect_beyond_the_size", {3, 0}, 0);
  refuse(ANEURALNETWORKS_MIRROR_PAD, "symmetric_beyond_the_size", {4, 0}, 1);
  refuse(ANEURALNETWORKS_PAD, "negative", {-1, 1}, 0);
  refuse(ANEURALNETWORKS_MIRROR_PAD, "negative", {-1, 1}, 1);
}

struct Slice {
  std::string name;
  Dims shape;
  std::vector<int32_t> begin;
  std::vector<int32_t> size;
};

void declare(Draft& c, int32_t type, const Slice& s) {
  c.input(tensor(type, s.shape));
  c.int32s(s.begin);
  c.int32s(s.size);
  c.output(tensor(type, {}));
}

void add_slices(Rows& rows) {
  const std::vector<Slice> slices{{"whole", {5}, {0}, {-1}},
                                  {"end", {17}, {3}, {-1}},
                                  {"middle_of_2", {5, 9}, {1, 3}, {3, 5}},
                                  {"inner_of_3", {2, 5, 7}, {0, 2, 1}, {2, -1, 3}},
                                  {"one_element", {3, 4, 5, 2}, {2, 1, 3, 1}, {1, 1, 1, 1}},
                                  {"nothing", {3, 4}, {1, 2}, {0, 2}},
                                  {"rank_6", {2, 3, 2, 3, 2, 3}, {1, 1, 0, 1, 0, 2}, {1, 2, 2, 2, 1, 1}}};
  const std::vector<Slice> wrong{{"begin_negative", {5}, {-1}, {2}},         {"begin_too_large", {5}, {6}, {-1}},
                                 {"size_too_large", {5}, {3}, {3}},          {"size_negative", {5}, {0}, {-2}},
                                 {"size_overflows", {5}, {4}, {2147483647}}, {"begin_of_other_rank", {5}, {0, 0}, {1, 1}}};
  for (const int32_t type : kFive) {
    for (const auto& s : slices) {
      rows.add(ANEURALNETWORKS_SLICE, type, "part", s.name, [=](Draft& c) { declare(c, type, s); });
    }
    for (const auto& s : wrong) {
      rows.refused(ANEURALNETWORKS_SLICE, type, s.name, [=](Draft& c) { declare(c, type, s); });
    }
  }
}

struct StridedSlice {
  std::string name;
  Dims shape;
  std::vector<int32_t> begin;
  std::vector<int32_t> end;
  std::vector<int32_t> strides;
  int32_t begin_mask = 0;
  int32_t end_mask = 0;
  int32_t shrink_mask = 0;
};

void declare(Draft& c, int32_t type, const StridedSlice& s) {
  c.input(tensor(type, s.shape));
  c.int32s(s.begin);
  c.int32s(s.end);
  c.int32s(s.strides);
  c.int32(s.begin_mask);
  c.int32(s.end_mask);
  c.int32(s.shrink_mask);
  c.output(tensor(type, {}));
}

void add_strided_slices(Rows& rows) {
  const std::vector<StridedSlice> slices{
      {"whole", {17}, {0}, {17}, {1}},
      {"every_third", {17}, {1}, {16}, {3}},
      {"backwards", {7}, {6}, {-8}, {-1}},
      {"backwards_by_2", {9}, {-1}, {0}, {-2}},
      {"clamped", {5}, {-100}, {100}, {2}},
      {"masked", {5, 7}, {3, 3}, {1, 1}, {1, 2}, 3, 3},
      {"masked_backwards", {5, 7}, {3, 3}, {1, 1}, {-1, -2}, 3, 3},
      {"shrunk", {3, 4, 5}, {1, 0, 2}, {2, 4, 3}, {1, 1, 1}, 0, 0, 5},
      {"shrunk_to_one", {3, 4}, {1, 2}, {2, 3}, {1, 1}, 0, 0, 3},
      {"nothing", {3, 4}, {2, 0}, {1, 4}, {1, 1}},
      {"image", {2, 5, 7, 3}, {0, 1, 0, 2}, {2, 5, 7, -4}, {1, 2, 3, -1}},
  };
  const std::vector<StridedSlice> wrong{{"stride_0", {5}, {0}, {5}, {0}},
                                        {"shrunk_from_2", {5}, {1}, {3}, {1}, 0, 0, 1},
                                        {"begin_of_other_rank", {5}, {0, 0}, {5, 5}, {1, 1}}};
  for (const int32_t type : kFour) {
    for (const auto& s : slices) {
      rows.add(ANEURALNETWORKS_STRIDED_SLICE, type, "part", s.name, [=](Draft& c) { declare(c, type, s); });
    }
    for (const auto& s : wrong) {
      rows.refused(ANEURALNETWORKS_STRIDED_SLICE, type, s.name, [=](Draft& c) { declare(c, type, s); });
    }
  }
}

void add_edges(Rows& rows) {
  const std::vector<Slice> slices{{"quads", {4, 8, 8}, {1, 4, 0}, {2, 4, 8}},
                                  {"aligned", {4, 8, 8}, {0, 0, 4}, {-1, -1, 4}},
                                  {"rank_5", {3, 5, 7, 2, 2}, {1, 2, 3, 0, 1}, {2, 2, 3, 2, 1}},
                                  {"rank_8", {2, 2, 2, 2, 2, 2, 2, 3}, {0, 1, 0, 1, 0, 1, 0, 1}, {2, 1, 2, 1, 2, 1, 2, 2}},
                                  {"rank_11", Dims(11, 3), std::vector<int32_t>(11, 1), std::vector<int32_t>(11, 2)},
                                  {"empty", {5, 5}, {5, 0}, {0, 5}}};
  for (const int32_t type : kFive) {
    for (const auto& s : slices) {
      rows.edge(ANEURALNETWORKS_SLICE, type, s.name, [=](Draft& c) { declare(c, type, s); });
    }
    for (const auto& p : std::vector<Padding>{{"far", {7}, {6, 5}},
                                              {"image", {2, 5, 6, 3}, {0, 0, 2, 3, 4, 1, 0, 0}},
                                              {"rank_6", {2, 3, 2, 3, 2, 3}, {1, 1, 2, 0, 1, 0, 0, 2, 1, 1, 2, 2}},
                                              {"nothing", {1, 4}, {0, 0, 0, 0}}}) {
      for (const int32_t mode : {0, 1}) {
        rows.edge(ANEURALNETWORKS_MIRROR_PAD, type, p.name + "_" + std::to_string(mode),
                  [=](Draft& c) { declare(c, ANEURALNETWORKS_MIRROR_PAD, type, p, mode); });
      }
    }
  }
  const std::vector<StridedSlice> strided{{"backwards", {5, 6, 8}, {-1, 5, 7}, {-6, -7, -9}, {-1, -2, -3}},
                                          {"scalar", {5, 6, 8}, {1, 2, 3}, {2, 3, 4}, {1, 1, 1}, 0, 0, 7},
                                          {"quads", {5, 6, 8}, {4, 1, 0}, {0, 0, 0}, {-1, 1, 4}, 1, 7},
                                          {"empty", {5, 6, 8}, {3, 0, 0}, {2, 6, 8}, {1, 1, 1}}};
  for (const int32_t type : kFour) {
    for (const auto& s : strided) {
      rows.edge(ANEURALNETWORKS_STRIDED_SLICE, type, s.name, [=](Draft& c) { declare(c, type, s); });
    }
    for (const auto& p : std::vector<Padding>{{"quads", {2, 5, 6, 8}, {0, 0, 1, 2, 1, 1, 0, 0}},
                                              {"quads_around", {2, 3, 4, 8}, {1, 0, 2, 1, 0, 3, 4, 8}},
                                              {"around", {2, 3, 4, 5}, {1, 0, 2, 1, 0, 3, 4, 1}}}) {
      rows.edge(ANEURALNETWORKS_PAD, type, p.name, [=](Draft& c) { declare(c, ANEURALNETWORKS_PAD, type, p); });
    }
  }
}

}  // namespace

void add_slicing_padding_rows(Rows& rows) {
  add_padding(rows);
  add_slices(rows);
  add_strided_slices(rows);
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
