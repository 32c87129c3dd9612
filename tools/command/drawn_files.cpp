#include "tools/command/drawn_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tools/answers/drawing.h"

namespace nnvk::tools {

Result<DrawnFiles> DrawnFiles::in(const std::filesystem::path& place, bool has_several) {
  std::error_code error;
  if (std::filesystem::is_directory(place, error)) return DrawnFiles(place, true);
  if (has_several) {
    return fail(
        fmt::format("--picture must name a folder that exists, because there are several pictures; {} is none", place.string()));
  }
  std::string extension = place.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".png") return DrawnFiles(place, false);
  return fail(
      fmt::format("--picture must name a .png file, the only format that nnvk writes, or a folder that exists; {} is neither",
                  place.string()));
}

bool DrawnFiles::is_in(const std::filesystem::path& folder) const {
  std::error_code error;
  return is_folder_ && std::filesystem::equivalent(place_, folder, error);
}

Result<std::string> DrawnFiles::draw(const Picture& picture, const std::string& file, std::span<const answers::Answer> answers) {
  if (picture.values.empty()) return fail("--picture draws onto the picture that is the input; name one with --input or --watch");
  if (std::ranges::none_of(answers, answers::is_drawable)) {
    return fail(
        "--picture cannot draw the answer: the outputs are tensors of unknown meaning; --labels names classes if they are class "
        "scores, and --output writes their values");
  }
  std::string path = place_.string();
  if (is_folder_) {
    const auto name = std::filesystem::path(file).stem().string() + ".png";
    std::error_code error;
    path = (place_ / name).string();
    if (std::filesystem::equivalent(path, file, error)) {
      return fail(fmt::format("--picture would overwrite the input {}; name another folder", file));
    }
    const auto& source = sources_.emplace(path, file).first->second;
    if (source != file) return fail(fmt::format("--picture would write both {} and {} into {}", source, file, path));
  }
  TOOLS_TRY(save_picture(answers::drawn(picture, answers), path));
  return path;
}

}  // namespace nnvk::tools
