// How well results fit what is known about them. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnvk::tools::benchmark {

// Returns whether fewer than `k` scores are above that of the class. An earlier class wins a tie, as in top_predictions().
// Returns false if there is no such class.
bool is_among_top(std::span<const float> scores, size_t label, size_t k);

// Returns the class of each pixel from scores [pixels][classes]: the first of the largest.
std::vector<size_t> classes_of_scores(std::span<const float> scores, size_t classes);

// Returns the mean over the classes of (pixels that have the class in both) / (pixels that have it in either). With an empty
// `counted`, the classes are those that occur in `expected` or `result`, else those of `counted`; pixels that `expected` gives
// another class do not count. Nothing if no pixel counts. Both have the same size.
std::optional<double> mean_intersection_over_union(std::span<const size_t> expected, std::span<const size_t> result,
                                                   std::span<const size_t> counted);

// The mean and the largest of |a - b|. Elements that are NaN in both or the same infinity in both do not differ; others that are
// not finite differ by infinity.
struct Difference {
  double mean = 0;
  double largest = 0;
  size_t count = 0;

  void add(std::span<const float> a, std::span<const float> b);
};

// The means of measures over the samples of a model; a measure without a sample is missing.
struct Accuracy {
  std::optional<double> top_1{};           // share of samples
  std::optional<double> top_5{};           // share of samples
  std::optional<double> psnr{};            // dB
  std::optional<double> mean_iou{};        // 0 to 1
  std::optional<double> mean_error{};      // from known values
  std::optional<double> reference_mean{};  // difference from nnapi-reference on the first sample
  std::optional<double> reference_largest{};
  size_t samples = 0;  // with a known answer

  bool operator==(const Accuracy&) const = default;
};

// Writes the answers as text: "top-1 98.89 %, top-5 100.00 %"; "" if nothing but the difference from the reference is known.
std::string known_answers(const Accuracy& accuracy);

}  // namespace nnvk::tools::benchmark
