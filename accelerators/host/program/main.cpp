// nnvk-plugin-host: loads one plugin and serves it to the process that started this one. Not for people: the library starts it
// (host_program.h).
//
//   nnvk-plugin-host --library FILE --sandbox PROFILE --name NAME --first-id N
//
// Its socket is descriptor kHostSocket. Exit codes tell nothing: what is wrong is in the Hello.
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <map>
#include <string>

#include "accelerators/host/host_process.h"
#include "accelerators/host/program/host_threads.h"
#include "accelerators/host/program/sandbox.h"
#include "accelerators/sl_table.h"
#include "accelerators/table_driver.h"

namespace nnvk::accelerators {
namespace {

struct Options {
  std::string driver_library;
  std::string sandbox = "strict";
  std::string name;
  uint64_t first_id = 1;
};

Result<Options> read_options(int count, char** arguments) {
  std::map<std::string, std::string> values;
  for (int i = 1; i + 1 < count; i += 2) values[arguments[i]] = arguments[i + 1];
  Options options{values["--library"], values["--sandbox"], values["--name"], 0};
  const std::string& id = values["--first-id"];
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), options.first_id);
  if (options.driver_library.empty() || error != std::errc{} || end != id.data() + id.size()) {
    return fail(Code::kUnavailableDevice,
                "the plugin host was started in another way than by its library: install both from one build");
  }
  return options;
}

Result<std::unique_ptr<Driver>> load_plugin(int count, char** arguments, const PacketSocket& socket) {
  NNVK_ASSIGN(const Options options, read_options(count, arguments));
  NNVK_ASSIGN(const SandboxProfile profile, sandbox_profile(options.sandbox));
  NNVK_TRY(enter_sandbox(profile));
  end_with_client(socket);
  NNVK_ASSIGN(const SlTable table, load_table(options.driver_library));
  NNVK_TRY(close_sandbox(profile));
  TableDriverOptions driver_options;
  driver_options.first_id = options.first_id;
  return make_table_driver(table.functions->base, driver_options);
}

}  // namespace
}  // namespace nnvk::accelerators

int main(int count, char** arguments) {
  using namespace nnvk::accelerators;
  std::signal(SIGPIPE, SIG_IGN);
  const PacketSocket socket{nnvk::FileDescriptor(kHostSocket)};
  auto driver = load_plugin(count, arguments, socket);
  if (!driver) {
    const Message answer = encode_answer<Done>(kHelloId, nnvk::fail(driver.error()));
    static_cast<void>(socket.send(answer.body, {}, PacketSocket::Blocking::kYes));
    ::_exit(1);
  }
  serve_client(socket, **driver);
}
