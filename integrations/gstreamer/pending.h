// Work that travels with a frame: its network still runs. Elements of this plugin put their own work behind it by fences. The
// last one of them waits, before other elements see the frame.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <vector>

#include "integrations/gstreamer/frames.h"

namespace nnvk::gstreamer {

class PendingWork {
 public:
  virtual ~PendingWork() = default;

  // Returns the run that writes the frame's pixels; null if none does.
  virtual std::shared_ptr<Run> writer() const { return nullptr; }
  // Waits for the work and puts its results on `buffer`. Behind a tee, this happens once for each branch.
  virtual Status complete(GstBuffer* buffer) = 0;
};

using PendingList = std::vector<std::shared_ptr<PendingWork>>;

// Says that an element waits for the work of its frames before it touches them.
void mark_as_waiting(GstElement* element);
// Returns whether whatever comes behind a source pad waits for work: elements that are marked, and queues, caps filters and tees
// before them. Not if a program looks at the frames on the way with a probe.
bool next_waits(GstPad* source);

// Returns the work that is pending for a frame, in the order in which it was started.
PendingList pending_work(GstBuffer* buffer);
// Adds work to a writable buffer.
void add_pending(GstBuffer* buffer, std::shared_ptr<PendingWork> work);
// Waits for all work of a writable buffer, which then has no pending work any more.
Status complete_pending(GstBuffer* buffer);

}  // namespace nnvk::gstreamer
