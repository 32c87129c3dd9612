#include "accelerators/host/program/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/file_descriptor.h"

namespace nnvk::accelerators {
namespace {

tl::unexpected<Error> failed(const std::string& what) { return fail(Code::kOpFailed, what + ": " + std::strerror(errno)); }

bool write_file(const char* path, const std::string& text) {
  const FileDescriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Maps the process's user and group to themselves in its user namespace, and no others.
Status map_users(uid_t user, gid_t group) {
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
  static_cast<void>(write_file("/proc/self/setgroups", "deny"));  // kernels without it need none
  if (!write_file("/proc/self/uid_map", map(user)) || !write_file("/proc/self/gid_map", map(group))) {
    return failed("naming the user in a namespace");
  }
  return {};
}

}  // namespace

Status separate_children(NamespaceWay way) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const int users = way == NamespaceWay::kAsUser ? CLONE_NEWUSER : 0;
  if (::unshare(users | CLONE_NEWPID) != 0) return failed("making new namespaces");
  if (users != 0) NNVK_TRY(map_users(user, group));
  return {};
}

Status separate_surroundings() {
  if (::unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == 0) return {};
  return failed("making new namespaces of mounts, network and IPC");
}

}  // namespace nnvk::accelerators
