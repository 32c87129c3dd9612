#include "accelerators/host/program/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/file_descriptor.h"

namespace nnvk::accelerators {
namespace {

// Constants of new kernel headers: the headers of the building machine may be older than the kernel that runs this program.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kVersionFlag = 1;
constexpr int kPathBeneath = 1;
constexpr uint64_t kExecute = 1 << 0;
constexpr uint64_t kWriteFile = 1 << 1;
constexpr uint64_t kReadFile = 1 << 2;
constexpr uint64_t kReadFolder = 1 << 3;
constexpr uint64_t kRemoveFolder = 1 << 4;
constexpr uint64_t kRemoveFile = 1 << 5;
constexpr uint64_t kMakeFolder = 1 << 7;
constexpr uint64_t kMakeFile = 1 << 8;
constexpr uint64_t kRefer = 1 << 13;        // version 2
constexpr uint64_t kTruncate = 1 << 14;     // version 3
constexpr uint64_t kIoctlDevice = 1 << 15;  // version 5
constexpr uint64_t kAllOfVersion1 = (1 << 13) - 1;
constexpr uint64_t kTcp = 3;     // bind and connect; version 4
constexpr uint64_t kScopes = 3;  // abstract sockets, signals; version 6

struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scopes = 0;
};
struct [[gnu::packed]] PathAttributes {
  uint64_t allowed = 0;
  int32_t folder = -1;
};

RulesetAttributes handled_by(int version) {
  RulesetAttributes handled;
  handled.files = kAllOfVersion1;
  if (version >= 2) handled.files |= kRefer;
  if (version >= 3) handled.files |= kTruncate;
  if (version >= 4) handled.network = kTcp;
  if (version >= 5) handled.files |= kIoctlDevice;
  if (version >= 6) handled.scopes = kScopes;
  return handled;
}

// Returns the size of the rule set's attributes: older kernels know fewer fields.
size_t size_for(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

uint64_t rights_of(FileAccess access, bool is_folder) {
  constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;
  uint64_t rights = kReadFile | kReadFolder | kExecute;
  if (access == FileAccess::kDevice) rights = kReadFile | kReadFolder | kWriteFile | kIoctlDevice;
  if (access == FileAccess::kWrite) {
    rights = kReadFile | kReadFolder | kWriteFile | kTruncate | kRemoveFile | kRemoveFolder | kMakeFile | kMakeFolder | kRefer;
  }
  return is_folder ? rights : rights & kOfFiles;
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kVersionFlag);
  return version > 0 ? static_cast<int>(version) : 0;
}

Status restrict_to(const std::vector<VisiblePath>& paths, int version) {
  const auto failed = [](const std::string& what) {
    return fail(Code::kOpFailed, "Landlock: " + what + ": " + std::strerror(errno));
  };
  const RulesetAttributes handled = handled_by(version);
  const FileDescriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &handled, size_for(version), 0)));
  if (!ruleset) return failed("no rules can be made");
  for (const VisiblePath& visible : paths) {
    const FileDescriptor file(::open(visible.path.c_str(), O_PATH | O_CLOEXEC));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0) continue;
    const PathAttributes rule{rights_of(visible.access, S_ISDIR(facts.st_mode)) & handled.files, file.get()};
    if (::syscall(kAddRule, ruleset.get(), kPathBeneath, &rule, 0) != 0) return failed("no rule for " + visible.path);
  }
  if (::syscall(kRestrictSelf, ruleset.get(), 0) != 0) return failed("the rules are not taken");
  return {};
}

}  // namespace nnvk::accelerators
