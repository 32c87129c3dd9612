// `nnvk filter`: runs a network on each frame of a video that comes through a pipe, and writes the changed frames to the next
// one.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/progress.h"
#include "tools/command/stop_signals.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/elapsed_time.h"
#include "tools/reports/placement.h"
#include "tools/video/filter.h"
#include "tools/video/stream.h"

namespace nnvk::tools {
namespace {

using video::VideoInput;

constexpr uint32_t kRowsOfHd = 720;  // from here on, videos without a colour matrix have that of HD

// The seconds that this program spent.
struct Times {
  double reading = 0;  // with waiting for the program before
  double network = 0;  // waiting for it
  double effect = 0;
  double writing = 0;  // with waiting for the program behind
};

// Adds the time since it was made.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += seconds_since(begin_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Frames become bigger than the usual buffer of a pipe.
void widen_pipe(int descriptor) {
  constexpr int kBytes = 1 << 20;                 // what the kernel grants every user
  (void)fcntl(descriptor, F_SETPIPE_SZ, kBytes);  // fails for what is no pipe
}

Result<video::Descriptor> opened(const std::string& path, int flags, int standard) {
  constexpr mode_t kMode = 0666;
  if (path.empty() || path == "-") {
    if (isatty(standard) != 0) {
      return fail(fmt::format("the {} is a terminal; nnvk filter works between programs: "
                              "ffmpeg -i IN -f yuv4mpegpipe - | nnvk filter --model MODEL | ffmpeg -i - OUT",
                              standard == STDIN_FILENO ? "input" : "output"),
                  conformance::kWrongOption);
    }
    widen_pipe(standard);
    return video::Descriptor(standard);
  }
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  if (descriptor < 0) return fail(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  widen_pipe(descriptor);
  return video::Descriptor(descriptor);
}

Status check_not_the_same(const std::string& input, const std::string& output) {
  struct stat from {};
  struct stat to {};
  if (::stat(input.c_str(), &from) != 0 || ::stat(output.c_str(), &to) != 0 || !S_ISREG(to.st_mode)) return {};
  if (from.st_dev != to.st_dev || from.st_ino != to.st_ino) return {};
  return fail(fmt::format("--output {} is the input itself, which it would overwrite", output), conformance::kWrongOption);
}

// Returns the shape of raw frames; none: the stream says it.
Result<std::optional<video::FrameShape>> raw_shape(const FilterOptions& options) {
  if (options.format.empty()) return std::optional<video::FrameShape>();
  auto shape = video::parse_size(options.size);
  if (!shape) return fail("--size: " + shape.error().message, conformance::kWrongOption);
  shape->format = video::find_format(options.format);
  if (shape->format->access == video::Access::kConstantChroma) shape->colours.range = NNVK_PICTURE_FULL_RANGE;
  return std::optional(*shape);
}

video::Colours chosen_colours(const FilterOptions& options, const video::FrameShape& shape) {
  video::Colours colours = shape.colours;
  colours.matrix = options.matrix.value_or(shape.height >= kRowsOfHd ? NNVK_PICTURE_BT709 : NNVK_PICTURE_BT601);
  colours.range = options.range.value_or(colours.range);
  return colours;
}

class FilterRun {
 public:
  FilterRun(const FilterOptions& options, VideoInput& input, video::VideoOutput& output, video::Filter& filter)
      : options_(options), input_(input), output_(output), filter_(filter) {}

  // Filters all frames. After an error or a signal, the whole frames before it are finished and written.
  Status run() {
    const Status read = read_all();
    while (filter_.in_flight() > 0 && has_reader_) TOOLS_TRY(write_oldest());
    seconds_ = seconds_since(begin_);
    return read;
  }

  bool has_reader() const { return has_reader_; }

  Status report() const {
    TOOLS_ASSIGN(const auto description, filter_.network().describe());
    TOOLS_ASSIGN(const nlohmann::json document, parse_description(description, "the compilation"));
    std::vector<std::string> devices;
    for (const auto& partition : parse_placement(document).partitions) {
      if (std::ranges::find(devices, partition.device) == devices.end()) devices.push_back(partition.device);
    }
    options_.json ? report_as_json(devices, document) : report_as_text(devices);
    return {};
  }

 private:
  Status read_all() {
    while (has_reader_) {
      // Frames in flight do not wait for a slow source, such as a camera.
      const size_t in_flight = filter_.in_flight();
      if (in_flight > 0 && (in_flight >= static_cast<size_t>(options_.slots) || !input_.is_ready())) {
        TOOLS_TRY(write_oldest());
        continue;
      }
      TOOLS_ASSIGN(auto frame, filter_.free_frame());
      std::string parameters;
      {
        const Stopwatch watch(times_.reading);
        TOOLS_ASSIGN(const auto next, input_.next(frame->bytes(), parameters));
        if (next != VideoInput::Next::kFrame) return {};
      }
      TOOLS_TRY(filter_.start(std::move(frame), std::move(parameters)));
    }
    return {};
  }

  Status write_oldest() {
    {
      const Stopwatch watch(times_.network);
      TOOLS_TRY(filter_.wait());
    }
    auto finished = [this] {
      const Stopwatch watch(times_.effect);
      return filter_.finish();
    }();
    if (!finished) return fail(finished.error().message);
    const Stopwatch watch(times_.writing);
    TOOLS_ASSIGN(has_reader_, output_.write(finished->frame->bytes(), finished->parameters));
    if (has_reader_) ++written_;
    filter_.reuse(std::move(finished->frame));
    progress_.update(written_, fmt::format("{} frames, {:.1f} per second", written_, written_ / seconds_since(begin_)));
    return {};
  }

  void report_as_text(const std::vector<std::string>& devices) const {
    const auto each = [&](double seconds) { return seconds * 1e3 / static_cast<double>(std::max<uint64_t>(written_, 1)); };
    const uint64_t copied = filter_.copied_frames();
    report_note(fmt::format("{} frames on {} in {:.1f} s: {:.1f} per second; the network alone takes {:.1f} ms", written_,
                            fmt::join(devices, ", "), seconds_, static_cast<double>(written_) / seconds_,
                            filter_.network_seconds() * 1e3));
    report_note(fmt::format(
        "milliseconds for each frame: {:.1f} reading, {:.1f} waiting for the network, {:.1f} for the effect, {:.1f} writing; {}",
        each(times_.reading), each(times_.network), each(times_.effect), each(times_.writing),
        copied == 0 ? std::string("no frame was copied") : fmt::format("{} frames were copied for the network", copied)));
  }

  void report_as_json(const std::vector<std::string>& devices, const nlohmann::json& description) const {
    const video::FrameShape& from = input_.shape();
    const video::FrameShape& to = filter_.made();
    const nlohmann::json document{
        {"model", options_.model},
        {"devices", devices},
        {"effect", video::kEffectNames[static_cast<size_t>(filter_.effect())]},
        {"format", from.format->name},
        {"from", {from.width, from.height}},
        {"to", {to.width, to.height}},
        {"frames", {{"read", input_.frames()}, {"written", written_}, {"copied", filter_.copied_frames()}}},
        {"network_seconds", filter_.network_seconds()},
        {"bytes_copied_in", description.value("/pictures/bytes_copied_in"_json_pointer, uint64_t{0})},
        {"seconds",
         {{"total", seconds_},
          {"reading", times_.reading},
          {"network", times_.network},
          {"effect", times_.effect},
          {"writing", times_.writing}}}};
    // The standard output belongs to the video, unless that goes into a file.
    fmt::print(options_.output.empty() || options_.output == "-" ? stderr : stdout, "{}", json_text(document));
  }

  const FilterOptions& options_;
  VideoInput& input_;
  video::VideoOutput& output_;
  video::Filter& filter_;
  bool has_reader_ = true;
  uint64_t written_ = 0;
  Times times_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
  Progress progress_{"filtering", Progress::kUnknown};
};

// Returns whether somebody read the output until its end.
Result<bool> filter_video(const FilterOptions& options) {
  TOOLS_ASSIGN(const auto raw, raw_shape(options));
  TOOLS_TRY(check_not_the_same(options.input, options.output));
  video::FilterSettings settings{
      .model = options.model,
      .device = options.device,
      .memory = options.memory,
      .effect = options.effect ? std::optional(static_cast<video::Effect>(*options.effect)) : std::nullopt,
      .least_score = options.least_score,
      .background = options.background == "blur" ? "" : options.background,
      .radius = options.radius};
  if (!options.labels.empty()) {
    TOOLS_ASSIGN(settings.labels, answers::read_labels(options.labels));
  }
  TOOLS_ASSIGN(auto from, opened(options.input, O_RDONLY, STDIN_FILENO));
  const StopSignals signals;
  TOOLS_ASSIGN(auto input, VideoInput::open(std::move(from), raw, [] { return StopSignals::received() != 0; }));
  video::FrameShape shape = input.shape();
  shape.colours = chosen_colours(options, shape);
  TOOLS_ASSIGN(auto filter, video::Filter::make(settings, shape));
  TOOLS_ASSIGN(auto to, opened(options.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO));
  video::VideoOutput output(std::move(to), input.header(), filter.made().width, filter.made().height);
  FilterRun run(options, input, output, filter);
  TOOLS_TRY(run.run());
  if (run.has_reader() || options.json) TOOLS_TRY(run.report());
  return run.has_reader();
}

}  // namespace

int run_filter(const FilterOptions& options) {
  // A closed pipe behind this program is an error of a write, so that the frames in flight end in order.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto is_read = filter_video(options);
  std::signal(SIGPIPE, before);
  if (!is_read) return report_error(is_read.error());
  if (!*is_read) std::raise(SIGPIPE);  // ends the program as it ends others in a pipeline, without a word
  return *is_read ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
