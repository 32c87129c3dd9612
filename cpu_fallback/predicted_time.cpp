// A rough cost model.
#include "cpu_fallback/predicted_time.h"

#include "core/operations/work_estimate.h"

namespace nnvk::cpu {
namespace {

// Reading and writing with a decision or two; more where a function is evaluated or neighbours are weighed.
double nanoseconds_per_element(OperationCode code) {
  switch (code) {
    case OperationCode::kLogistic:
    case OperationCode::kTanh:
    case OperationCode::kSoftmax:
    case OperationCode::kLogSoftmax:
    case OperationCode::kExp:
    case OperationCode::kLog:
    case OperationCode::kSin:
    case OperationCode::kPow:
    case OperationCode::kElu:
    case OperationCode::kHardSwish:
    case OperationCode::kL2Normalization:
    case OperationCode::kLocalResponseNormalization:
    case OperationCode::kInstanceNormalization:
    case OperationCode::kResizeBilinear:
    case OperationCode::kResizeNearestNeighbor:
    case OperationCode::kMaxPool2d:
    case OperationCode::kAveragePool2d:
    case OperationCode::kL2Pool2d:
    case OperationCode::kArgmax:
    case OperationCode::kArgmin:
      return 8;
    default:
      return 2;
  }
}
constexpr double kNanosecondsPerMultiplyAdd = 1.2;
constexpr double kNanosecondsPerNode = 500;

}  // namespace

double predicted_seconds(const OperationView& operation) {
  const Work work = estimate_work(operation);
  // Weights are read as part of their products.
  const double elements = work.multiply_adds > 0 ? 0 : static_cast<double>(work.elements);
  return 1e-9 * (kNanosecondsPerNode + kNanosecondsPerMultiplyAdd * static_cast<double>(work.multiply_adds) +
                 nanoseconds_per_element(operation.code) * elements);
}

}  // namespace nnvk::cpu
