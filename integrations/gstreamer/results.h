// Results of networks on buffers: regions of interest, tensors, and answers for nnvkoverlay.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <span>
#include <vector>

#include "integrations/gstreamer/frames.h"
#include "tools/answers/answer.h"

namespace nnvk::gstreamer {

using AnswerList = std::vector<tools::answers::Answer>;
using SharedAnswers = std::shared_ptr<const AnswerList>;

// The size of a frame in pixels, in which regions are given.
struct FrameSize {
  guint width = 0;
  guint height = 0;
};

// Adds a GstVideoRegionOfInterestMeta for each box, and one of the whole frame for the best class. `least_score`: of classes that
// are probabilities.
void add_regions(GstBuffer* buffer, std::span<const tools::answers::Answer> answers, const FrameSize& size, float least_score);

// Adds the outputs of a network as the custom meta "NnvkTensorMeta". No bytes are copied: they stay in the slot.
void add_tensors(GstBuffer* buffer, const Network& network, const std::shared_ptr<Slot>& results);

// These functions add answers for elements of this plugin, and return those of all networks before.
void add_answers(GstBuffer* buffer, SharedAnswers answers);
std::vector<SharedAnswers> answers_on(GstBuffer* buffer);

// Registers the custom meta. Call it once, when the plugin is loaded.
void register_tensor_meta();

}  // namespace nnvk::gstreamer
