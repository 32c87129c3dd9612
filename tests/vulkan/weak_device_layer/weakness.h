// Features that an invented device lacks, and faults that it has, selected by words of an environment variable. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace nnvk::weak_device {

// One word each; `description` is for people.
struct Weakness {
  const char* word;
  const char* description;
};

inline constexpr Weakness kWeaknesses[] = {
    {"no_subgroups", "subgroups of one invocation, without operations"},
    {"own_subgroup_size", "subgroups whose size no pipeline may require"},
    {"buffers_4", "4 storage buffers per shader stage"},
    {"range_128m", "128 MiB of storage buffer at most"},
    {"invocations_128", "128 invocations per work group, 16 KiB of shared memory"},
    {"texels_65536", "65536 texels per buffer"},
    {"push_128", "128 bytes of push constants"},
    {"no_timeline", "no timeline semaphores"},
    {"non_coherent_first", "memory that has to be flushed listed before memory that has not"},
    {"unmappable_local", "a discrete GPU whose own memory the host cannot map"},
    {"alignment_256", "buffers bound at multiples of 256 bytes"},
    {"no_timestamps", "no timestamps"},
    {"garbage", "new memory full of garbage"},
    {"no_host_import", "no import of client memory"},
    {"bare", "Vulkan 1.1 without any extension or feature"},
};

// A fault of the device at one submission: a word such as "hang_at_20", for the 20th submission.
enum class Fault { kNone, kHang, kLost, kCrash, kKill };
struct FaultWord {
  const char* prefix;
  Fault fault;
};
inline constexpr FaultWord kFaultWords[] = {
    {"hang_at_", Fault::kHang},    // the VkDevice never finishes this submission and later ones
    {"lost_at_", Fault::kLost},    // the VkDevice is lost from then on
    {"crash_at_", Fault::kCrash},  // the driver crashes
    {"kill_at_", Fault::kKill},    // somebody kills the process
};

class Weaknesses {
 public:
  // Words separated by commas; "all" is every one of kWeaknesses. Unknown words end in `unknown`, for a message.
  static Weaknesses parse(std::string_view words);

  bool has(const char* word) const { return words_.contains(word); }
  // The fault at a submission, counted from 1.
  Fault fault_at(uint64_t submission) const;
  bool has_faults() const { return !faults_.empty(); }
  const std::string& unknown() const { return unknown_; }

 private:
  std::set<std::string, std::less<>> words_;
  std::map<uint64_t, Fault> faults_;
  std::string unknown_;
};

}  // namespace nnvk::weak_device
