// A network and its effect on the frames of a video, several of which are in flight.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "importers/import_options.h"
#include "tools/answers/labels.h"
#include "tools/video/background.h"
#include "tools/video/frame.h"
#include "tools/video/frame_painter.h"
#include "tools/video/mask.h"

namespace nnvk::tools::video {

enum class Effect : uint8_t {
  kDraw,        // boxes, points, masks and classes are drawn; pictures that the network makes take the frame's place
  kBackground,  // what is behind people or things is blurred or replaced
  kEnlarge,     // the frame is the network's larger picture
};

// Their names, in the same order.
inline constexpr std::array kEffectNames = {"draw", "background", "enlarge"};

// Returns the effect for what a network finds: "draw", unless it finds the foreground or makes larger pictures.
Effect usual_effect(const answers::ModelFacts& facts);

struct FilterSettings {
  std::string model;   // a .tflite or .onnx file
  std::string device;  // as find_devices() takes it
  uint64_t memory = importers::kDefaultMemory;
  std::optional<Effect> effect{};  // none: the usual one
  std::optional<answers::Labels> labels{};
  std::optional<float> least_score{};
  std::string background;  // "": blurred; "#rrggbb"; or the path of a picture
  uint32_t radius = 0;     // of the blur, in pixels
};

class Filter {
 public:
  // Loads and compiles the network for frames of this shape, and runs it for trial.
  static Result<Filter> make(const FilterSettings& settings, const FrameShape& shape);

  Effect effect() const { return effect_; }
  const Network& network() const { return *network_; }
  // Returns the shape of the frames that finish() gives.
  const FrameShape& made() const { return made_; }
  // Returns the seconds of one run of the network alone.
  double network_seconds() const { return network_seconds_; }

  // Returns a frame to fill.
  Result<std::shared_ptr<Frame>> free_frame();
  // Starts the network on a filled frame. `parameters` come back with it.
  Status start(std::shared_ptr<Frame> frame, std::string parameters);
  size_t in_flight() const { return jobs_.size(); }

  // The oldest frame in flight is done in two steps: wait() for the network, then finish() the frame.
  Status wait();
  struct Finished {
    std::shared_ptr<Frame> frame;
    std::string parameters;
  };
  Result<Finished> finish();
  // Takes a frame of finish() back.
  void reuse(std::shared_ptr<Frame> frame);

  // Returns how many frames had to be copied for the network.
  uint64_t copied_frames() const { return copied_frames_; }

 private:
  struct Job {
    std::shared_ptr<Frame> frame;
    std::shared_ptr<Frame> enlarged;  // null: the frame itself is changed
    std::string parameters;
    NetworkRun run;
    std::shared_ptr<Run> last;  // the run that ends last
  };

  Filter() = default;
  Status prepare_background(const FilterSettings& settings, const FrameShape& shape);
  Status draw(const Slot& results, const FrameView& frame) const;
  static Result<std::shared_ptr<Frame>> taken(std::vector<std::shared_ptr<Frame>>& free, const FrameShape& shape);

  Effect effect_ = Effect::kDraw;
  FrameShape shape_;
  FrameShape made_;
  std::shared_ptr<Network> network_;
  double network_seconds_ = 0;
  nnvk_PictureConversion conversion_{};
  answers::DecodingOptions decoding_;
  MaskOutput mask_;
  uint32_t radius_ = 0;
  std::shared_ptr<const StillFrame> background_;  // null: blurred
  std::shared_ptr<FramePainter> painter_;         // of larger frames

  std::deque<Job> jobs_;
  std::vector<std::shared_ptr<Frame>> free_;           // of shape_
  std::vector<std::shared_ptr<Frame>> free_enlarged_;  // of made_
  uint64_t copied_frames_ = 0;
};

}  // namespace nnvk::tools::video
