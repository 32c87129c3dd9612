// The work of `nnvk kernels --registry` in parts: threads share them, and a file keeps those that are finished, so that a run
// that was stopped continues where it ended.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/command/kernel_list.h"
#include "tools/nnapi/result.h"

namespace nnvk::tools {

// Parts that are finished, by name. A file has a line of JSON for `run`, which names the device and its driver, and then a line
// for each part.
class FinishedParts {
 public:
  // Reads the file and continues it; starts it anew if it belongs to another run. Ignores a last line that a stopped run wrote
  // half. Without a name, keeps nothing on disk. Fails if the file cannot be written, or holds something else, which stays.
  static Result<FinishedParts> open(const std::string& file, const nlohmann::ordered_json& run);

  const KernelList* find(const std::string& part) const;
  Status add(const std::string& part, KernelList list);
  size_t size() const { return lists_.size(); }
  // Deletes the file: the run is complete.
  void remove();

 private:
  std::string file_;  // empty: none
  std::map<std::string, KernelList> lists_;
};

// Runs `work` for every index below `count` on `threads` threads (0: one per processor). Returns the first failure; after one, no
// further index begins.
Status run_on_threads(size_t count, int threads, const std::function<Status(size_t)>& work);

// Returns the parts as one list: pipelines in the order of their first appearance, with all their dispatches.
KernelList merged(const std::vector<KernelList>& parts);

}  // namespace nnvk::tools
