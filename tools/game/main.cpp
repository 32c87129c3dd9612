// A game that draws at half resolution and shows frames that a network has enlarged. A single command buffer per frame does both,
// and the game submits it to its own queue. The game opens a window if there is a display. It compares the last frame with the
// CPU's result and writes it as a picture. With --guided it plays the second game (guided_game.h).
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <tuple>

#include "tools/game/guided_game.h"
#include "tools/game/network.h"
#include "tools/game/renderer.h"
#include "tools/game/swapchain.h"
#include "tools/image/picture.h"

namespace nnvk::game {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kFramesInFlight = 2;
// The layout, before and after the network runs, of the pictures that it reads and writes.
constexpr VkImageLayout kLayout = Renderer::kDrawnLayout;
constexpr float kSecondsPerFrame = 1.0F / 30;
// The largest allowed difference of a channel, out of 255: the GPU adds floats in another order, and rounds afterwards.
constexpr int kMostDifference = 1;
constexpr int kNoDevice = 77;  // exit status: ctest counts it as skipped

struct Options {
  std::string network;
  std::string picture = "game.png";
  uint32_t width = 640;  // of the frame that is shown
  uint32_t height = 360;
  uint32_t frames = 0;  // 0: until the window is closed, or as many as suit a program without one
  bool must_have_window = false;
  bool no_window = false;
};
constexpr uint32_t kFramesWithoutWindow = 60;

// All objects of one frame in flight.
struct Frame {
  FrameImages images;
  Image shown;    // by the network
  Buffer copies;  // of the picture that was drawn and of the one that is shown, for the check
  NetworkFrame network;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence done = VK_NULL_HANDLE;
  bool is_pending = false;
};

class Game {
 public:
  // Opens the game; returns null if there is no Vulkan device.
  static Result<std::unique_ptr<Game>> open(const Options& options);
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  Status play();
  // Compares the last frame with the CPU's result for its input, and writes both resolutions into one picture.
  Status check_last_frame();

 private:
  explicit Game(const Options& options) : options_(options) {}
  Status open_window();
  Status make_frame(Frame& frame);
  Status retire(Frame& frame);
  // Records the commands for the frame in `slot`. `is_shown`: the commands also copy the frame to the swapchain.
  Status record(uint32_t slot, bool is_shown);
  Status run_frame();
  Status tell(std::chrono::duration<double> seconds, uint64_t by_game, uint64_t by_nnvk) const;

  const Options options_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Renderer> renderer_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<Frame> frames_ = std::vector<Frame>(kFramesInFlight);
  std::unique_ptr<Swapchain> swapchain_;  // with a window
  uint32_t number_ = 0;                   // of the present frame, from 0
  bool is_last_ = false;
  uint32_t shown_ = 0;                     // frames in the window
  std::chrono::nanoseconds recording_{0};  // in nnvk_vkRecord
};

Status Game::open_window() {
  if (options_.no_window) return {};
  auto window = game::open_window({options_.width, options_.height}, "nnvk: half the pixels are drawn, the rest is a network's");
  if (window) {
    window_ = *std::move(window);
    return {};
  }
  if (options_.must_have_window) return tl::unexpected(window.error());
  fmt::print("no window: {}\n", window.error().message);
  return {};
}

Result<std::unique_ptr<Game>> Game::open(const Options& options) {
  std::unique_ptr<Game> game(new Game(options));
  TOOLS_TRY(game->open_window());
  TOOLS_ASSIGN(game->device_, Device::open(game->window_.get()));
  if (game->device_ == nullptr) return nullptr;
  const VkExtent2D size{options.width / 2, options.height / 2};
  TOOLS_ASSIGN(game->network_, Network::load(*game->device_, options.network, size));
  const VkExtent2D shown = game->network_->output_size();
  if (shown.width != 2 * size.width || shown.height != 2 * size.height) {
    return fail(fmt::format("the network makes {}x{} of {}x{}, which is not twice as large", shown.width, shown.height,
                            size.width, size.height));
  }
  const NnvkVkRecordInfo& needs = game->network_->info();
  TOOLS_ASSIGN(game->renderer_, Renderer::create(*game->device_, Outputs::kColour, {needs.firstStages, needs.inputAccess}));
  auto pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = game->device_->family();
  TOOLS_TRY(check(vkCreateCommandPool(game->device_->get(), &pool, nullptr, &game->pool_), "vkCreateCommandPool"));
  if (game->window_ != nullptr) {
    TOOLS_ASSIGN(const VkSurfaceKHR surface, game->window_->make_surface(game->device_->instance()));
    TOOLS_ASSIGN(game->swapchain_, Swapchain::create(*game->device_, surface, shown, kFramesInFlight));
  }
  for (Frame& frame : game->frames_) TOOLS_TRY(game->make_frame(frame));
  return game;
}

// Returns how many bytes a picture of 8-bit RGBA has.
VkDeviceSize bytes_of(VkExtent2D size) { return VkDeviceSize{4} * size.width * size.height; }

Status Game::make_frame(Frame& frame) {
  const VkExtent2D size = network_->output_size();
  const VkFormat format = swapchain_ != nullptr ? swapchain_->frame_format() : VK_FORMAT_R8G8B8A8_UNORM;
  TOOLS_ASSIGN(frame.images, renderer_->make_images(network_->input_size(), NetworkFrame::kInputUsage));
  // SAMPLED usage only because Image makes a view: Vulkan forbids views of images with transfer usage alone.
  TOOLS_ASSIGN(frame.shown,
               Image::create(*device_, size, format,
                             NetworkFrame::kOutputUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                             VK_IMAGE_ASPECT_COLOR_BIT));
  TOOLS_ASSIGN(frame.copies, Buffer::create(*device_, bytes_of(frame.images.colour.size()) + bytes_of(size),
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT, true));
  TOOLS_ASSIGN(frame.network, network_->make_frame(frame.images.colour, frame.shown, kLayout));
  auto allocation = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  TOOLS_TRY(check(vkAllocateCommandBuffers(device_->get(), &allocation, &frame.commands), "vkAllocateCommandBuffers"));
  const auto fence = make<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  return check(vkCreateFence(device_->get(), &fence, nullptr, &frame.done), "vkCreateFence");
}

Game::~Game() {
  if (device_ == nullptr) return;
  for (Frame& frame : frames_) {
    if (const Status over = retire(frame); !over) fmt::print(stderr, "{}\n", over.error().message);
  }
  swapchain_.reset();
  for (Frame& frame : frames_) {
    if (renderer_ != nullptr) renderer_->free_images(frame.images);
    vkDestroyFence(device_->get(), frame.done, nullptr);
  }
  frames_.clear();
  vkDestroyCommandPool(device_->get(), pool_, nullptr);
}

// Ends a frame. Waits only for the fence of the frame's last submission, not for the whole queue.
Status Game::retire(Frame& frame) {
  if (!frame.is_pending) return {};
  TOOLS_TRY(check(vkWaitForFences(device_->get(), 1, &frame.done, VK_TRUE, UINT64_MAX), "vkWaitForFences"));
  TOOLS_TRY(check(vkResetFences(device_->get(), 1, &frame.done), "vkResetFences"));
  frame.is_pending = false;
  return frame.network.reset();
}

// Copies the pixels of an image to a buffer for the host.
void copy(VkCommandBuffer commands, const Image& from, const Buffer& to, VkDeviceSize offset) {
  const VkBufferImageCopy whole{
      offset, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {from.size().width, from.size().height, 1}};
  vkCmdCopyImageToBuffer(commands, from.get(), kLayout, to.get(), 1, &whole);
}

Status Game::record(uint32_t slot, bool is_shown) {
  Frame& frame = frames_[slot];
  const VkCommandBuffer commands = frame.commands;
  const NnvkVkRecordInfo& info = network_->info();
  auto begin = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  TOOLS_TRY(check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer"));

  const float time = static_cast<float>(number_) * kSecondsPerFrame;
  renderer_->draw(commands, frame.images, time, time);
  const auto start = Clock::now();
  TOOLS_TRY(frame.network.record(commands, 0));
  recording_ += Clock::now() - start;
  barrier(commands, info.lastStages, info.outputAccess, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  if (is_last_) {  // for the check
    copy(commands, frame.images.colour, frame.copies, 0);
    copy(commands, frame.shown, frame.copies, bytes_of(frame.images.colour.size()));
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
  }
  if (is_shown) swapchain_->record(commands, frame.shown);
  TOOLS_TRY(check(vkEndCommandBuffer(commands), "vkEndCommandBuffer"));
  return {};
}

Status Game::run_frame() {
  const uint32_t slot = number_ % kFramesInFlight;
  Frame& frame = frames_[slot];
  TOOLS_TRY(retire(frame));
  bool is_shown = false;
  if (swapchain_ != nullptr) {
    TOOLS_ASSIGN(is_shown, swapchain_->acquire(slot, window_->size()));
  }
  TOOLS_TRY(record(slot, is_shown));
  TOOLS_TRY(device_->submit(frame.commands, is_shown ? swapchain_->taken(slot) : VK_NULL_HANDLE,
                            is_shown ? swapchain_->drawn() : VK_NULL_HANDLE, frame.done));
  frame.is_pending = true;
  if (!is_shown) return {};
  ++shown_;
  return swapchain_->present();
}

Status Game::play() {
  const uint64_t game_before = device_->submissions_of_game();
  const uint64_t nnvk_before = device_->submissions_of_nnvk();
  const uint32_t wanted = options_.frames == 0 && window_ == nullptr ? kFramesWithoutWindow : options_.frames;
  const auto start = Clock::now();
  for (;; ++number_) {
    is_last_ = (window_ != nullptr && window_->is_closed()) || number_ + 1 == wanted;
    TOOLS_TRY(run_frame());
    if (is_last_) break;
  }
  for (Frame& frame : frames_) TOOLS_TRY(retire(frame));
  return tell(Clock::now() - start, device_->submissions_of_game() - game_before, device_->submissions_of_nnvk() - nnvk_before);
}

Status Game::tell(std::chrono::duration<double> seconds, uint64_t by_game, uint64_t by_nnvk) const {
  const uint32_t count = number_ + 1;
  const VkExtent2D size = network_->output_size();
  fmt::print("{}: {} frames of {}x{} from {}x{} in {:.2f} s, {:.1f} frames per second\n", device_->name(), count, size.width,
             size.height, size.width / 2, size.height / 2, seconds.count(), count / seconds.count());
  if (swapchain_ != nullptr) fmt::print("window: {} frames shown\n", shown_);
  fmt::print("network: {} dispatches per frame, recorded in {:.1f} us of the game's time\n", network_->info().dispatchCount,
             std::chrono::duration<double, std::micro>(recording_).count() / count);
  fmt::print("queue submissions: {} for {} frames, {} of them by nnvk\n", by_game + by_nnvk, count, by_nnvk);
  if (by_game + by_nnvk != count) return fail("there should be one queue submission per frame");
  return {};
}

Status Game::check_last_frame() {
  const Frame& frame = frames_[number_ % kFramesInFlight];
  const VkExtent2D drawn = frame.images.colour.size();
  const auto* const input = reinterpret_cast<const uint8_t*>(frame.copies.bytes());
  TOOLS_ASSIGN(const std::vector<float> wanted, network_->on_cpu(input));

  tools::Picture small{drawn.width, drawn.height, 3, {}};
  for (size_t i = 0; i < bytes_of(drawn); ++i) {
    if (i % 4 < 3) small.values.push_back(input[i]);
  }
  // Rejects a uniform picture, which would make the comparison meaningless.
  const auto [darkest, brightest] = std::ranges::minmax_element(small.values);
  if (*brightest - *darkest < 64) return fail("the scene is empty");
  // Compares the shown frame with the CPU's result, rounded like the frame.
  const VkExtent2D size = network_->output_size();
  const uint8_t* const shown = input + bytes_of(drawn);
  const size_t pixels = size_t{size.width} * size.height;
  int most_shown = 0;
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      const float unit = std::clamp(wanted[i * 3 + c] * 0.5F + 0.5F, 0.0F, 1.0F);
      most_shown = std::max(most_shown, std::abs(static_cast<int>(std::lround(unit * 255)) - shown[i * 4 + c]));
    }
  }
  fmt::print("last frame against nnvk-cpu: it differs by at most {} of 255\n", most_shown);

  const tools::Picture enlarged = tools::resized(small, size.width, size.height);
  tools::Picture both{2 * size.width, size.height, 3, {}};
  for (uint32_t y = 0; y < size.height; ++y) {
    const auto* const row = enlarged.values.data() + size_t{y} * size.width * 3;
    both.values.insert(both.values.end(), row, row + size_t{size.width} * 3);
    for (uint32_t x = 0; x < size.width; ++x) {
      const uint8_t* const pixel = shown + (size_t{y} * size.width + x) * 4;
      both.values.insert(both.values.end(), pixel, pixel + 3);
    }
  }
  TOOLS_TRY(tools::save_picture(both, options_.picture));
  fmt::print("{}: the last frame, made larger by interpolation (left) and as it is shown (right)\n", options_.picture);
  if (most_shown > kMostDifference) return fail(fmt::format("the frame differs by more than {} from the CPU's", kMostDifference));
  return {};
}

// Runs the game. Returns the exit status of the program.
Result<int> run(const Options& options) {
  TOOLS_ASSIGN(const auto game, Game::open(options));
  if (game == nullptr) {
    fmt::print(
        "there is no Vulkan device that draws and computes on one queue, and shows what it draws in the window if there is "
        "one\n");
    return kNoDevice;
  }
  TOOLS_TRY(game->play());
  TOOLS_TRY(game->check_last_frame());
  return 0;
}

}  // namespace
}  // namespace nnvk::game

namespace {

using nnvk::game::kNoDevice;

// Plays the guided game. Returns the exit status of the program.
nnvk::tools::Result<int> run_guided(const nnvk::game::GuidedOptions& options) {
  TOOLS_ASSIGN(const bool was_played, nnvk::game::play_guided(options));
  if (was_played) return 0;
  fmt::print("there is no Vulkan device that draws and computes on one queue, or --validate found no validation layer\n");
  return kNoDevice;
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): without memory for the options, it ends
  nnvk::game::Options options;
  nnvk::game::GuidedOptions guided;
  bool is_guided = false;
  CLI::App app("Draws a scene at half resolution and makes it larger by a network, in the game's own command buffers.");
  auto* const network = app.add_option("network", options.network,
                                       ".tflite file of a network that doubles pictures of floats; --guided needs none");
  auto* const size = app.add_option(
      "--size",
      [&](const std::vector<std::string>& text) {
        return std::sscanf(text[0].c_str(), "%ux%u", &options.width, &options.height) == 2 && options.width % 2 == 0 &&
               options.height % 2 == 0 && options.width > 0 && options.height > 0;
      },
      "Width x height of the frames that the game shows; both must be even; default: 640x360, with --guided 4160x64");
  auto* const frames =
      app.add_option(
             "--frames", options.frames,
             "The game ends after this many frames; default: when you close the window; 60 without a window, with --guided 120")
          ->check(CLI::Range(1, 1000000));
  auto* const headless =
      app.add_flag("--headless", options.no_window, "The game opens no window; by default it opens one if it finds a display");
  auto* const window =
      app.add_flag("--window", options.must_have_window, "The game fails if it cannot open a window")->excludes(headless);
  app.add_option("--picture", options.picture, "PNG file that the game writes its last frame to; default: game.png")->take_last();
  auto* const second =
      app.add_flag("--guided", is_guided,
                   "Plays a second game without a window instead: a network reads colour, depth and motion of wide "
                   "frames whose size changes, and another network is spread over several frames")
          ->excludes(window);
  app.add_option("--resize-every", guided.resize_every, "With --guided: frames between changes of the size; 0: none; default: 40")
      ->needs(second);
  app.add_option("--slice", guided.slice,
                 "With --guided: predicted microseconds that the second network gets in each frame; default: 1000")
      ->needs(second);
  app.add_flag("--validate", guided.is_validated,
               "With --guided: fails if the Khronos validation layer complains, also about synchronisation")
      ->needs(second);
  CLI11_PARSE(app, argc, argv);
  if (!is_guided && !*network) {
    fmt::print(stderr, "nnvk_game: name the .tflite file of a network, or choose --guided\n");
    return 1;
  }
  if (*size) std::tie(guided.width, guided.height) = std::tie(options.width, options.height);
  if (*frames) guided.frames = options.frames;
  guided.picture = options.picture;
  const auto status = is_guided ? run_guided(guided) : nnvk::game::run(options);
  if (status) return *status;
  fmt::print(stderr, "nnvk_game: {}\n", status.error().message);
  return 1;
}
