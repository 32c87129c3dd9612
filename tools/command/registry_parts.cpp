#include "tools/command/registry_parts.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

using nlohmann::ordered_json;

namespace nnvk::tools {

Result<FinishedParts> FinishedParts::open(const std::string& file, const ordered_json& run) {
  FinishedParts parts;
  parts.file_ = file;
  if (file.empty()) return parts;
  std::string whole = run.dump() + "\n";
  std::ifstream before(file);
  std::string line;
  const bool has_line = static_cast<bool>(std::getline(before, line));
  if (has_line && !ordered_json::parse(line, nullptr, false).contains("device")) {
    return fail(file + " is not a file of --resume; name another one, or one that is not there yet");
  }
  if (has_line && line + "\n" == whole) {
    while (std::getline(before, line)) {
      const auto json = ordered_json::parse(line, nullptr, false);
      if (json.is_discarded()) break;
      auto list = kernel_list_from_json(json.value("list", ordered_json()).dump(), file);
      if (!list) break;
      parts.lists_.insert_or_assign(json.value("part", ""), *std::move(list));
      whole += line + "\n";
    }
  }
  before.close();
  std::ofstream after(file);
  after << whole << std::flush;
  if (!after) return fail(file + " cannot be written");
  return parts;
}

const KernelList* FinishedParts::find(const std::string& part) const {
  const auto found = lists_.find(part);
  return found == lists_.end() ? nullptr : &found->second;
}

Status FinishedParts::add(const std::string& part, KernelList list) {
  if (!file_.empty()) {
    std::ofstream file(file_, std::ios::app);
    file << ordered_json{{"part", part}, {"list", to_json(list)}}.dump() << "\n" << std::flush;
    if (!file) return fail(file_ + " cannot be written");
  }
  lists_.insert_or_assign(part, std::move(list));
  return {};
}

void FinishedParts::remove() {
  if (!file_.empty()) std::remove(file_.c_str());
}

Status run_on_threads(size_t count, int threads, const std::function<Status(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status first;
  const auto take_turns = [&] {
    for (size_t index = next++; index < count; index = next++) {
      Status done = work(index);
      if (done) continue;
      const std::lock_guard lock(mutex);
      if (first) first = std::move(done);
      next = count;
    }
  };
  const size_t wanted = threads > 0 ? static_cast<size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(wanted, count); ++i) others.emplace_back(take_turns);
  take_turns();
  for (std::thread& other : others) other.join();
  return first;
}

KernelList merged(const std::vector<KernelList>& parts) {
  KernelList whole;
  std::unordered_map<std::string, size_t> lines;  // by name
  for (const KernelList& part : parts) {
    for (const PipelineLine& line : part.pipelines) {
      const auto [entry, is_new] = lines.try_emplace(line.name, whole.pipelines.size());
      if (is_new) {
        whole.pipelines.push_back(line);
        continue;
      }
      PipelineLine& same = whole.pipelines[entry->second];
      same.dispatches += line.dispatches;
      same.preparations += line.preparations;
      same.least_groups = std::min(same.least_groups, line.least_groups);
      same.most_groups = std::max(same.most_groups, line.most_groups);
      same.predicted_seconds += line.predicted_seconds;
    }
    std::ranges::copy(part.unlisted, std::back_inserter(whole.unlisted));
  }
  return whole;
}

}  // namespace nnvk::tools
