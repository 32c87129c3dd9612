// The files of `nnvk run --picture`.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "tools/answers/answer.h"

namespace nnvk::tools {

class DrawnFiles {
 public:
  // `place`: a PNG file, or a folder. Fails if several pictures are to go into one file, or if a file is neither.
  static Result<DrawnFiles> in(const std::filesystem::path& place, bool has_several);

  // Returns whether the results go into this folder.
  bool is_in(const std::filesystem::path& folder) const;

  // Draws answers onto the picture `file` and writes the result: in a folder, into a PNG with the name of the picture. Returns
  // its path. Fails if no answer can be drawn, or if another picture had the same name.
  Result<std::string> draw(const Picture& picture, const std::string& file, std::span<const answers::Answer> answers);

 private:
  explicit DrawnFiles(std::filesystem::path place, bool is_folder) : place_(std::move(place)), is_folder_(is_folder) {}

  std::filesystem::path place_;
  bool is_folder_ = false;
  std::map<std::string, std::string> sources_{};  // by drawn file: the picture
};

}  // namespace nnvk::tools
