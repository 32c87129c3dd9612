// nnvk-plugin-host: loads one plugin and serves it to the process that started this one. Not for people: the library starts it
// (host_program.h).
//
//  nnvk-plugin-host --library FILE --sandbox PROFILE --name NAME --first-id N
//    [--memory MIB] [--threads N] [--read PATH]... [--write PATH]... [--device PATH]... [--cache FOLDER]
//
// Its socket is descriptor kHostSocket. Exit codes mean nothing: the Hello carries the error.
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accelerators/host/host_process.h"
#include "accelerators/host/program/host_threads.h"
#include "accelerators/host/program/kernel_traits.h"
#include "accelerators/host/program/sandbox.h"
#include "accelerators/host/program/supervisor.h"
#include "accelerators/host/program/visible_files.h"
#include "accelerators/protocol/messages.h"
#include "accelerators/sl_table.h"
#include "accelerators/table_driver.h"

namespace nnvk::accelerators {
namespace {

struct Options {
  std::string driver_library;
  std::string name;
  uint64_t first_id = 1;
  SandboxRequest sandbox;
};

// Returns the number in `text`, if the text contains nothing else.
std::optional<uint64_t> number_in(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Result<Options> read_options(int count, char** arguments) {
  std::multimap<std::string, std::string> values;
  for (int i = 1; i + 1 < count; i += 2) values.emplace(arguments[i], arguments[i + 1]);
  const auto all = [&values](const char* name) {
    std::vector<std::string> found;
    for (auto [from, to] = values.equal_range(name); from != to; ++from) found.push_back(from->second);
    return found;
  };
  const auto one = [&all](const char* name, const char* otherwise = "") {
    const auto found = all(name);
    return found.empty() ? std::string(otherwise) : found.back();
  };
  const auto first_id = number_in(one("--first-id"));
  const auto memory = number_in(one("--memory", "0"));
  const auto threads = number_in(one("--threads", "0"));
  Options options{one("--library"), one("--name"), first_id.value_or(0), {}};
  if (options.driver_library.empty() || !first_id || !memory || !threads) {
    return fail(Code::kUnavailableDevice,
                "the plugin host was started in another way than by its library: install both from one build");
  }
  NNVK_ASSIGN(options.sandbox.profile, sandbox_profile(one("--sandbox", "strict")));
  options.sandbox.memory_bytes = *memory << 20;
  options.sandbox.threads = static_cast<unsigned>(*threads);
  options.sandbox.readable = all("--read");
  options.sandbox.writable = all("--write");
  for (const std::string& cache : all("--cache")) {
    std::error_code none;  // nothing is cached if the folder cannot be made
    std::filesystem::create_directories(cache, none);
    options.sandbox.writable.push_back(cache);
  }
  options.sandbox.devices = all("--device");
  return options;
}

// Runs the plugin in this process, without a supervisor, so that debuggers can inspect it.
Status enter_unconfined(const Protections& protections, const PacketSocket& socket) {
  NNVK_TRY(enter_sandbox(protections, {}));
  const Message report = encode_answer<ConfinementReport>(kHelloId, ConfinementReport{in_words(protections)});
  NNVK_TRY(socket.send(report.body, {}, PacketSocket::Blocking::kYes));
  return {};
}

// Enters the sandbox, which may start a process for the plugin, and loads the plugin there. On success, it returns only in the
// process that serves the plugin.
Result<std::unique_ptr<Driver>> load_plugin(int count, char** arguments, const PacketSocket& socket) {
  NNVK_ASSIGN(const Options options, read_options(count, arguments));
  const bool is_confined = options.sandbox.profile != SandboxProfile::kUnconfined;
  NNVK_ASSIGN(const Protections protections, protections_to_use(is_confined ? probe_kernel() : KernelTraits{}, options.sandbox));
  NNVK_TRY(is_confined ? enter_supervised_sandbox(protections, visible_files(options.sandbox, options.driver_library), socket,
                                                  options.name)
                       : enter_unconfined(protections, socket));
  end_with_client(socket);
  NNVK_ASSIGN(const SlTable table, load_table(options.driver_library));
  NNVK_TRY(close_sandbox(protections));
  return make_table_driver(table, {.first_id = options.first_id});
}

}  // namespace
}  // namespace nnvk::accelerators

int main(int count, char** arguments) {
  using namespace nnvk::accelerators;
  std::signal(SIGPIPE, SIG_IGN);
  const PacketSocket socket{nnvk::FileDescriptor(kHostSocket), LongBodies::kInParts};
  auto driver = load_plugin(count, arguments, socket);
  if (!driver) {
    const Message answer = encode_answer<Done>(kHelloId, nnvk::fail(driver.error()));
    static_cast<void>(socket.send(answer.body, {}, PacketSocket::Blocking::kYes));
    ::_exit(1);
  }
  serve_client(socket, **driver);
}
