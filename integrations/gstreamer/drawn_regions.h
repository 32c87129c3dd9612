// Regions of interest and answers on a frame, as answers that can be drawn.
#pragma once

#include <gst/gst.h>

#include "integrations/gstreamer/results.h"

namespace nnvk::gstreamer {

// Returns boxes of all regions on the frame, whatever element added them, and what nnvkinfer found besides boxes.
AnswerList drawable_answers(GstBuffer* buffer, const FrameSize& size);

}  // namespace nnvk::gstreamer
