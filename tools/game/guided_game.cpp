#include "tools/game/guided_game.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "tools/game/captured_frame.h"
#include "tools/game/frame_times.h"
#include "tools/game/guided_networks.h"
#include "tools/game/network_frame.h"
#include "tools/game/renderer.h"

namespace nnvk::game {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kFramesInFlight = 2;
constexpr VkImageLayout kLayout = Renderer::kDrawnLayout;
constexpr float kSecondsPerFrame = 1.0F / 30;
constexpr uint32_t kBothBarriers = NNVK_VK_RECORD_INPUT_BARRIER | NNVK_VK_RECORD_OUTPUT_BARRIER;
constexpr VkExtent2D kGlowSize{128, 32};
constexpr size_t kMostCaptures = 8;
constexpr int kMostDifference = 1;  // of 255
constexpr VkImageUsageFlags kOfResults =
    NetworkFrame::kOutputUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;  // Image makes a view

bool is_same(VkExtent2D a, VkExtent2D b) { return a.width == b.width && a.height == b.height; }

// The pictures of a frame in flight, and the network recorded between them.
struct Target {
  VkExtent2D size{};
  FrameImages images;
  Image shown;
  NetworkFrame network;
};

struct Frame {
  Target target;
  std::optional<Target> next;  // of the size that the window has now, until its recording is ready
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence done = VK_NULL_HANDLE;
  bool is_pending = false;
};

// The second network. It runs over several frames, from a small copy of the shown picture.
struct Glow {
  enum class State : uint8_t { kIdle, kRunning, kLastSliceSubmitted };
  Image from;
  Image to;
  NetworkFrame network;
  State state = State::kIdle;
  uint32_t last_slot = 0;  // of the frame with the last slice
  uint32_t runs = 0;
  uint32_t slices = 0;
};

class GuidedGame {
 public:
  explicit GuidedGame(const GuidedOptions& options) : options_(options) {}
  ~GuidedGame();
  GuidedGame(const GuidedGame&) = delete;
  GuidedGame& operator=(const GuidedGame&) = delete;

  // Returns false if there is no Vulkan device.
  Result<bool> open();
  Status play();
  // Prints the figures, and compares the captured frames with the CPU's.
  Status report() const;

 private:
  Result<Target> make_target(VkExtent2D size) const;
  void free_target(Target& target) const;
  Status make_frame(Frame& frame);
  Status make_glow();
  Status retire(uint32_t slot);
  void follow_window();
  Status resize(Frame& frame);
  Status record(uint32_t slot);
  Status record_glow(uint32_t slot, VkCommandBuffer commands);
  Status capture(VkCommandBuffer commands, const Target& target);
  Status check_captures() const;

  const GuidedOptions options_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Renderer> renderer_;
  std::optional<tools::ModelBuilder> outline_model_;
  std::optional<tools::ModelBuilder> glow_model_;
  tools::CompilationHandle outline_;
  tools::CompilationHandle glow_compilation_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::array<Frame, kFramesInFlight> frames_;
  Glow glow_;
  VkExtent2D window_{};
  tools::EventHandle preparing_;  // for the size of the window; null: all frames have it, or wait for no more
  uint32_t number_ = 0;           // of the present frame
  uint32_t resizes_ = 0;
  uint32_t waiting_frames_ = 0;  // drawn at the old size while nnvk prepared the new one
  bool wants_capture_ = true;    // of the first frame of a size
  std::vector<CapturedFrame> captures_;
  std::optional<CapturedFrame> captured_glow_;
  std::vector<double> milliseconds_;
};

GuidedGame::~GuidedGame() {
  if (device_ == nullptr) return;
  for (uint32_t slot = 0; slot < kFramesInFlight; ++slot) {
    if (const Status over = retire(slot); !over) fmt::print(stderr, "{}\n", over.error().message);
  }
  for (Frame& frame : frames_) {
    free_target(frame.target);
    if (frame.next) free_target(*frame.next);
    vkDestroyFence(device_->get(), frame.done, nullptr);
  }
  vkDestroyCommandPool(device_->get(), pool_, nullptr);
}

Result<bool> GuidedGame::open() {
  TOOLS_ASSIGN(device_, Device::open(nullptr, options_.is_validated));
  if (device_ == nullptr) return false;
  window_ = {options_.width, options_.height};
  // nnvk makes the barriers, because a network of open size does not say which it needs.
  TOOLS_ASSIGN(renderer_,
               Renderer::create(*device_, Outputs::kGuides, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}));
  TOOLS_ASSIGN(outline_model_, make_outline_network());
  TOOLS_ASSIGN(glow_model_, make_glow_network());
  const auto shape = [](VkExtent2D size, uint32_t channels) {
    return std::vector<uint32_t>{1, size.height, size.width, channels};
  };
  const std::vector<std::vector<std::vector<uint32_t>>> first{{shape(window_, 3), shape(window_, 1), shape(window_, 3)}};
  const std::vector<std::vector<std::vector<uint32_t>>> only{{shape(kGlowSize, 3)}};
  TOOLS_ASSIGN(outline_, compile_for_game(*device_, outline_model_->model(), first));
  TOOLS_ASSIGN(glow_compilation_, compile_for_game(*device_, glow_model_->model(), only));
  auto pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device_->family();
  TOOLS_TRY(check(vkCreateCommandPool(device_->get(), &pool, nullptr, &pool_), "vkCreateCommandPool"));
  for (Frame& frame : frames_) TOOLS_TRY(make_frame(frame));
  TOOLS_TRY(make_glow());
  return true;
}

Result<Target> GuidedGame::make_target(VkExtent2D size) const {
  Target target;
  target.size = size;
  TOOLS_ASSIGN(target.images, renderer_->make_images(size, NetworkFrame::kInputUsage));
  TOOLS_ASSIGN(target.shown, Image::create(*device_, size, VK_FORMAT_R8G8B8A8_UNORM, kOfResults, VK_IMAGE_ASPECT_COLOR_BIT));
  const std::array inputs{ImageTensor{target.images.colour, 3}, ImageTensor{target.images.depth_guide, 1},
                          ImageTensor{target.images.motion_guide, 3}};
  const std::array outputs{ImageTensor{target.shown, 3}};
  TOOLS_ASSIGN(target.network, NetworkFrame::bind(*device_, outline_.get(), inputs, outputs, kLayout));
  return target;
}

// Frees the recording, and then the images that it uses.
void GuidedGame::free_target(Target& target) const {
  target.network = {};
  if (renderer_ != nullptr) renderer_->free_images(target.images);
}

Status GuidedGame::make_frame(Frame& frame) {
  TOOLS_ASSIGN(frame.target, make_target(window_));
  TOOLS_TRY(frame.target.network.make_recording());
  auto allocation = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  TOOLS_TRY(check(vkAllocateCommandBuffers(device_->get(), &allocation, &frame.commands), "vkAllocateCommandBuffers"));
  const auto fence = make<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  return check(vkCreateFence(device_->get(), &fence, nullptr, &frame.done), "vkCreateFence");
}

Status GuidedGame::make_glow() {
  constexpr VkImageUsageFlags kOfCopies =
      VK_IMAGE_USAGE_TRANSFER_DST_BIT | NetworkFrame::kInputUsage | VK_IMAGE_USAGE_SAMPLED_BIT;
  TOOLS_ASSIGN(glow_.from, Image::create(*device_, kGlowSize, VK_FORMAT_R8G8B8A8_UNORM, kOfCopies, VK_IMAGE_ASPECT_COLOR_BIT));
  TOOLS_ASSIGN(glow_.to, Image::create(*device_, kGlowSize, VK_FORMAT_R8G8B8A8_UNORM, kOfResults, VK_IMAGE_ASPECT_COLOR_BIT));
  const std::array inputs{ImageTensor{glow_.from}};
  const std::array outputs{ImageTensor{glow_.to}};
  TOOLS_ASSIGN(glow_.network, NetworkFrame::bind(*device_, glow_compilation_.get(), inputs, outputs, kLayout));
  return glow_.network.make_recording();
}

// Ends the frame in `slot`, whose images and recordings the game may then change.
Status GuidedGame::retire(uint32_t slot) {
  Frame& frame = frames_[slot];
  if (!frame.is_pending) return {};
  TOOLS_TRY(check(vkWaitForFences(device_->get(), 1, &frame.done, VK_TRUE, UINT64_MAX), "vkWaitForFences"));
  TOOLS_TRY(check(vkResetFences(device_->get(), 1, &frame.done), "vkResetFences"));
  frame.is_pending = false;
  TOOLS_TRY(frame.target.network.reset());
  if (glow_.state != Glow::State::kLastSliceSubmitted || glow_.last_slot != slot) return {};
  glow_.state = Glow::State::kIdle;
  ++glow_.runs;
  return glow_.network.reset();
}

// Gives the window another size now and then, as a user does who drags its edge. Almost every size is a new one.
void GuidedGame::follow_window() {
  const bool changes = options_.resize_every > 0 && number_ > 0 && number_ % options_.resize_every == 0;
  if (!changes || preparing_ != nullptr) return;
  const uint32_t times = number_ / options_.resize_every;
  const uint32_t step = std::max(1U, options_.height / 64);
  window_ = {options_.width + times * 38 % 128, options_.height + step * (times * 3 % 7)};
}

// Has the frame's next images made and its recording prepared. The frame changes to them when that would no longer stop the game.
Status GuidedGame::resize(Frame& frame) {
  if (is_same(frame.target.size, window_)) return {};
  if (!frame.next) {
    TOOLS_ASSIGN(frame.next, make_target(window_));
  }
  if (preparing_ == nullptr) {
    TOOLS_ASSIGN(preparing_, frame.next->network.prepare());
  }
  TOOLS_ASSIGN(const bool is_ready, frame.next->network.make_recording_if_prepared());
  if (!is_ready) {
    ++waiting_frames_;
    return {};
  }
  std::swap(frame.target, *frame.next);
  free_target(*frame.next);
  frame.next.reset();
  const auto has_size = [&](const Frame& each) { return is_same(each.target.size, window_); };
  if (!std::ranges::all_of(frames_, has_size)) return {};
  preparing_.reset();
  ++resizes_;
  wants_capture_ = true;
  return {};
}

Status GuidedGame::capture(VkCommandBuffer commands, const Target& target) {
  wants_capture_ = false;
  TOOLS_ASSIGN(CapturedFrame made, CapturedFrame::make(*device_, {&target.images.colour, &target.images.depth_guide,
                                                                  &target.images.motion_guide, &target.shown}));
  made.record(commands, kLayout);
  captures_.push_back(std::move(made));
  return {};
}

Status GuidedGame::record_glow(uint32_t slot, VkCommandBuffer commands) {
  if (glow_.state == Glow::State::kLastSliceSubmitted) return {};
  constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  if (glow_.state == Glow::State::kIdle) {
    const Target& target = frames_[slot].target;
    change_layout(commands, glow_.from.get(), kTransfer, kTransfer,
                  {VK_IMAGE_LAYOUT_UNDEFINED, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT});
    const auto corner = [](VkExtent2D size) {
      return VkOffset3D{static_cast<int32_t>(size.width), static_cast<int32_t>(size.height), 1};
    };
    constexpr VkImageSubresourceLayers kColour{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageBlit shrink{kColour, {{}, corner(target.size)}, kColour, {{}, corner(kGlowSize)}};
    vkCmdBlitImage(commands, target.shown.get(), kLayout, glow_.from.get(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &shrink,
                   VK_FILTER_LINEAR);
    change_layout(commands, glow_.from.get(), kTransfer, kTransfer,
                  {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT, kLayout, VK_ACCESS_TRANSFER_READ_BIT});
    glow_.state = Glow::State::kRunning;
  }
  ++glow_.slices;
  TOOLS_ASSIGN(const bool is_last, glow_.network.record_slice(commands, kBothBarriers, options_.slice));
  if (!is_last) return {};
  glow_.state = Glow::State::kLastSliceSubmitted;
  glow_.last_slot = slot;
  if (captured_glow_) return {};
  TOOLS_ASSIGN(captured_glow_, CapturedFrame::make(*device_, {&glow_.from, &glow_.to}));
  captured_glow_->record(commands, kLayout);
  return {};
}

Status GuidedGame::record(uint32_t slot) {
  const Frame& frame = frames_[slot];
  auto begin = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  TOOLS_TRY(check(vkBeginCommandBuffer(frame.commands, &begin), "vkBeginCommandBuffer"));
  const float time = static_cast<float>(number_) * kSecondsPerFrame;
  renderer_->draw(frame.commands, frame.target.images, time, time - kSecondsPerFrame);
  TOOLS_TRY(frame.target.network.record(frame.commands, kBothBarriers));
  const bool is_last = number_ + 1 == options_.frames;
  if ((wants_capture_ && captures_.size() < kMostCaptures) || is_last) TOOLS_TRY(capture(frame.commands, frame.target));
  TOOLS_TRY(record_glow(slot, frame.commands));
  return check(vkEndCommandBuffer(frame.commands), "vkEndCommandBuffer");
}

Status GuidedGame::play() {
  auto before = Clock::now();
  for (; number_ < options_.frames; ++number_) {
    const uint32_t slot = number_ % kFramesInFlight;
    Frame& frame = frames_[slot];
    TOOLS_TRY(retire(slot));
    const auto now = Clock::now();
    if (number_ > 0) milliseconds_.push_back(std::chrono::duration<double, std::milli>(now - before).count());
    before = now;
    follow_window();
    TOOLS_TRY(resize(frame));
    TOOLS_TRY(record(slot));
    TOOLS_TRY(device_->submit(frame.commands, VK_NULL_HANDLE, VK_NULL_HANDLE, frame.done));
    frame.is_pending = true;
  }
  for (uint32_t slot = 0; slot < kFramesInFlight; ++slot) TOOLS_TRY(retire(slot));
  return {};
}

Status GuidedGame::check_captures() const {
  int most = 0;
  for (const CapturedFrame& captured : captures_) {
    TOOLS_ASSIGN(const int difference, captured.difference_to_cpu(*outline_model_));
    most = std::max(most, difference);
  }
  fmt::print("{} frames against nnvk-cpu: they differ by at most {} of 255\n", captures_.size(), most);
  if (!captured_glow_) return fail("the second network never ran to its end: let the game play more frames");
  TOOLS_ASSIGN(const int of_glow, captured_glow_->difference_to_cpu(*glow_model_));
  fmt::print("the sliced network against nnvk-cpu: it differs by at most {} of 255\n", of_glow);
  TOOLS_TRY(captures_.back().save(options_.picture));
  fmt::print("{}: the last frame, as it was drawn (above) and as it is shown (below)\n", options_.picture);
  if (std::max(most, of_glow) > kMostDifference) {
    return fail(fmt::format("the pictures differ by more than {} from the CPU's", kMostDifference));
  }
  return {};
}

Status GuidedGame::report() const {
  const FrameTimes times = summarize(milliseconds_);
  fmt::print("{}: {} frames of {}x{} and similar sizes, {} changes of size, {} frames drawn meanwhile at the old size\n",
             device_->name(), options_.frames, options_.width, options_.height, resizes_, waiting_frames_);
  fmt::print("time from frame to frame: median {:.2f} ms, 99 of 100 at most {:.2f} ms\n", times.median, times.p99);
  if (times.largest > 0) {
    fmt::print("the longest after the first second: {:.2f} ms, {:.2f} times the median\n", times.largest, times.ratio);
  }
  fmt::print("second network: {} runs in {} slices\n", glow_.runs, glow_.slices);
  TOOLS_TRY(check_captures());
  const bool should_resize = options_.resize_every > 0 && options_.frames > 2 * options_.resize_every;
  if (should_resize && resizes_ == 0) return fail("no frame ever had another size");
  if (device_->complaints() > 0) return fail(fmt::format("the validation layer complained {} times", device_->complaints()));
  if (options_.is_validated) fmt::print("validation layer, with synchronisation: no complaints\n");
  return {};
}

}  // namespace

tools::Result<bool> play_guided(const GuidedOptions& options) {
  if (options.is_validated && !Validation::is_installed()) return false;
  GuidedGame game(options);
  TOOLS_ASSIGN(const bool has_device, game.open());
  if (!has_device) return false;
  TOOLS_TRY(game.play());
  TOOLS_TRY(game.report());
  return true;
}

}  // namespace nnvk::game
