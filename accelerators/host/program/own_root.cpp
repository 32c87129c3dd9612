#include "accelerators/host/program/own_root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace nnvk::accelerators {
namespace {

constexpr const char* kOld = "/.old";

// Constants of new kernel headers, which older C libraries cannot include beside their own headers.
constexpr long kMountSetattr = 442;
constexpr uint64_t kReadOnly = 0x1;
constexpr uint64_t kNoSetUserId = 0x2;
constexpr uint64_t kNoDevices = 0x4;
struct MountAttributes {
  uint64_t set = 0;
  uint64_t clear = 0;
  uint64_t propagation = 0;
  uint64_t user_namespace = 0;
};

Status step(bool is_done, const std::string& what) {
  if (is_done) return {};
  return fail(Code::kOpFailed, what + ": " + std::strerror(errno));
}

// Makes all folders of the path; the last name is that of a file.
void make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0755);
  }
}

// Restricts the mount and all mounts below it; older kernels restrict only the mount itself.
bool restrict_mount(const std::string& path, uint64_t attributes) {
  const MountAttributes change{.set = attributes};
  if (::syscall(kMountSetattr, -1, path.c_str(), AT_RECURSIVE, &change, sizeof change) == 0) return true;
  if (errno != ENOSYS) return false;
  struct statvfs now {};
  if (::statvfs(path.c_str(), &now) != 0) return false;
  unsigned long flags = MS_BIND | MS_REMOUNT;
  if ((attributes & kReadOnly) != 0 || (now.f_flag & ST_RDONLY) != 0) flags |= MS_RDONLY;
  if ((attributes & kNoSetUserId) != 0 || (now.f_flag & ST_NOSUID) != 0) flags |= MS_NOSUID;
  if ((attributes & kNoDevices) != 0 || (now.f_flag & ST_NODEV) != 0) flags |= MS_NODEV;
  // Keeps the mount's existing restrictions.
  if ((now.f_flag & ST_NOEXEC) != 0) flags |= MS_NOEXEC;
  if ((now.f_flag & ST_NOATIME) != 0) flags |= MS_NOATIME;
  if ((now.f_flag & ST_NODIRATIME) != 0) flags |= MS_NODIRATIME;
  if ((now.f_flag & ST_RELATIME) != 0) flags |= MS_RELATIME;
  return ::mount(nullptr, path.c_str(), nullptr, flags, nullptr) == 0;
}

// Mounts /proc for the new PID namespace, instead of the old /proc.
Status show_processes() {
  ::mkdir("/proc", 0555);
  return step(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, nullptr) == 0, "mounting /proc");
}

// Mounts a path of the old root into the new one. `real`: the target of the path in the old root.
Status show(const VisiblePath& visible, const std::string& real) {
  const std::string& path = visible.path;
  if (path == "/proc") return show_processes();
  if (real.empty()) return {};
  const std::string source = kOld + real;
  struct stat facts {};
  struct stat here {};
  if (::stat(source.c_str(), &facts) != 0) return {};
  if (::stat(path.c_str(), &here) == 0 && here.st_dev == facts.st_dev && here.st_ino == facts.st_ino &&
      visible.access == FileAccess::kRead) {
    return {};  // in a folder that is visible already
  }
  make_folders(path);
  if (S_ISDIR(facts.st_mode)) {
    ::mkdir(path.c_str(), 0755);
  } else {
    ::close(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  }
  NNVK_TRY(step(::mount(source.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0, "mounting " + path));
  uint64_t attributes = kNoSetUserId;
  if (visible.access == FileAccess::kRead) attributes |= kReadOnly;
  if (visible.access != FileAccess::kDevice && !path.starts_with("/dev/")) attributes |= kNoDevices;
  return step(restrict_mount(path, attributes), "mounting " + path + " read-only");
}

}  // namespace

Status enter_own_root(const std::vector<VisiblePath>& paths, uint64_t scratch_bytes) {
  std::vector<std::string> real_paths;
  for (const VisiblePath& path : paths) {
    std::error_code none;
    real_paths.push_back(std::filesystem::canonical(path.path, none).string());
  }
  NNVK_TRY(step(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "making mounts private"));
  // Any folder serves as mount point: pivot_root removes the mount from there again.
  constexpr const char* kPlace = "/usr";
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV;
  NNVK_TRY(step(::mount("tmpfs", kPlace, "tmpfs", kFlags, "size=4m,mode=755") == 0, "mounting an empty root"));
  NNVK_TRY(step(::chdir(kPlace) == 0 && ::mkdir(kOld + 1, 0755) == 0, "entering the empty root"));
  NNVK_TRY(step(::syscall(SYS_pivot_root, ".", kOld + 1) == 0 && ::chdir("/") == 0, "changing the root"));
  if (scratch_bytes > 0) {
    ::mkdir("/tmp", 0755);
    const std::string options = "mode=1777,size=" + std::to_string(scratch_bytes);
    NNVK_TRY(step(::mount("tmpfs", "/tmp", "tmpfs", kFlags, options.c_str()) == 0, "mounting /tmp"));
  }
  for (size_t i = 0; i < paths.size(); ++i) NNVK_TRY(show(paths[i], real_paths[i]));
  NNVK_TRY(step(::umount2(kOld, MNT_DETACH) == 0 && ::rmdir(kOld) == 0, "leaving the old root"));
  return step(::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | kFlags, nullptr) == 0, "closing the root");
}

}  // namespace nnvk::accelerators
