// Stores one pointer per thread: to the deadline of the innermost RunDeadline.
#include "core/base/run_deadline.h"

#include <utility>

namespace nnvk {
namespace {

constexpr Deadline kNoDeadline;
thread_local const Deadline* current = &kNoDeadline;

}  // namespace

RunDeadline::RunDeadline(const Deadline& deadline) : outer_(std::exchange(current, &deadline)) {}
RunDeadline::~RunDeadline() { current = outer_; }

const Deadline& run_deadline() { return *current; }

}  // namespace nnvk
