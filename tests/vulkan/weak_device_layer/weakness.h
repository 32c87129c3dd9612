// Features that an invented device lacks, selected by words of an environment variable. Pure.
#pragma once

#include <cstdint>
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

class Weaknesses {
 public:
  // Words separated by commas; "all" is every one. Unknown words end in `unknown`, for a message.
  static Weaknesses parse(std::string_view words);

  bool has(const char* word) const { return words_.contains(word); }
  const std::string& unknown() const { return unknown_; }

 private:
  std::set<std::string, std::less<>> words_;
  std::string unknown_;
};

}  // namespace nnvk::weak_device
