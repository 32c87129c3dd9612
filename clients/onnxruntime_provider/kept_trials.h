// The times that trials have measured, in files, so that later sessions need no trial. Pure of the runtime.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "clients/device_choice.h"
#include "clients/onnxruntime_provider/names.h"
#include "clients/predicted_time.h"
#include "importers/cache_token.h"

namespace nnvk::clients::onnxruntime {

// Returns the user's folder for these files, after the XDG standard: $XDG_CACHE_HOME/nnvk/trials or $HOME/.cache/nnvk/trials.
// Empty if neither variable holds an absolute path, or if the process has more rights than its user.
std::filesystem::path user_trials_folder();

// Names the subgraph, the devices and all else that the times of a trial depend on: the processor and how many of its cores the
// process may use, NNVK_CPU_THREADS, the versions of the runtime and of nnvk's library. Of constants above 1 KiB only type and
// shape count, so nothing reads the weights.
importers::CacheToken trial_token(const Graph& graph, const PluginOptions& options, const DeviceChoice& devices,
                                  const std::string& runtime_version);

class KeptTrials {
 public:
  // `folder`: made when it is needed; empty: the times live as long as the object.
  explicit KeptTrials(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Returns the times that were kept under this token. A file that is damaged counts as none.
  std::optional<ComparedTimes> find(const importers::CacheToken& token) const;
  // Any number of processes may do this. Errors do not matter: a later session measures again.
  void keep(const importers::CacheToken& token, const ComparedTimes& times) const;

 private:
  std::filesystem::path file_of(const importers::CacheToken& token) const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<importers::CacheToken, ComparedTimes> known_;
};

}  // namespace nnvk::clients::onnxruntime
