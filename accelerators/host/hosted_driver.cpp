#include "accelerators/host/hosted_driver.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "accelerators/host/host_connection.h"
#include "accelerators/host/host_program.h"
#include "accelerators/host/shared_file.h"
#include "core/base/out_of_memory.h"

namespace nnvk::accelerators {
namespace {

using Clock = HostConnection::Clock;
using Connection = std::shared_ptr<HostConnection>;

// Ids of a plugin host contain its generation in their upper bits, so that nobody takes an id of a lost host for one of the next
// host. The client gives each host its first id at the start.
constexpr unsigned kIdsPerGenerationBits = 40;

// Returns the first id of a generation; never 0.
constexpr uint64_t first_id(uint64_t generation) { return (generation << kIdsPerGenerationBits) + 1; }

constexpr uint64_t generation_of(auto id) { return static_cast<uint64_t>(id) >> kIdsPerGenerationBits; }

class HostedDriver final : public Driver {
 public:
  explicit HostedDriver(const HostedDriverOptions& options) : options_(options), life_(new Life(options.restart)) {}
  ~HostedDriver() override { delete &life(); }  // also if a host's reading thread destroys the driver

  Result<std::vector<DeviceDescription>> devices() override {
    Life& life = this->life();
    {
      const std::lock_guard lock(life.mutex);
      if (life.devices) return *life.devices;
    }
    NNVK_ASSIGN(auto devices, call(DevicesRequest{}));
    for (const DeviceDescription& device : devices) NNVK_TRY(check_device(device));
    const std::lock_guard lock(life.mutex);
    if (!life.devices) life.devices = std::move(devices);
    return *life.devices;
  }

  std::string confinement() const override {
    Life& life = this->life();
    const std::lock_guard lock(life.mutex);
    return life.connection != nullptr ? life.connection->confinement() : std::string();
  }

  uint64_t generation() const override {
    Life& life = this->life();
    static_cast<void>(living(life));  // ends the generation if the host is lost
    const std::lock_guard lock(life.mutex);
    return life.generation;
  }

  Result<RegionId> share(const SharedMemory& memory) override {
    NNVK_TRY(check_shared_file(memory));
    ShareRequest request{memory};
    const FileDescriptor again = open_again(memory);
    if (again) request.memory.fd = again.get();
    return checked(call(request));
  }

  void unshare(RegionId region) override { post(region, UnshareRequest{region}); }

  Result<std::vector<OperationSupport>> supported_operations(uint32_t device, const ModelDescription& model) override {
    NNVK_TRY(check_regions(model));
    NNVK_ASSIGN(auto flags, call(SupportRequest{device, model}));
    if (flags.size() == model.operations.size()) return flags;
    return fail(Code::kOpFailed, options_.name + " said of " + std::to_string(flags.size()) +
                                     " operations whether it runs them, of " + std::to_string(model.operations.size()) +
                                     " in the model");
  }

  Result<CompiledModel> compile(const CompilationRequest& request) override {
    NNVK_TRY(check_regions(request.model));
    NNVK_ASSIGN(auto compiled, call(request, limit_for(request.deadline, options_.call_limit)));
    NNVK_TRY(checked(Result<CompilationId>(compiled.id)));
    return compiled;
  }
  void free_compilation(CompilationId compilation) override { post(compilation, FreeCompilationRequest{compilation}); }

  Result<MemoryId> allocate(const DeviceMemoryRequest& request) override {
    for (const MemoryRole& role : request.roles) NNVK_TRY(require_current(role.compilation));
    return checked(call(request));
  }
  void free_memory(MemoryId memory) override { post(memory, FreeMemoryRequest{memory}); }

  Status copy_to_memory(const SharedRange& from, MemoryId to) override {
    NNVK_TRY(require_current(from.region));
    return success_of(to, WriteMemoryRequest{from, to});
  }
  Status copy_from_memory(MemoryId from, const SharedRange& to) override {
    NNVK_TRY(require_current(to.region));
    return success_of(from, ReadMemoryRequest{from, to});
  }

  void wait_out_pause(Clock::time_point limit) override {
    Life& life = this->life();
    if (living(life) != nullptr) return;
    std::unique_lock lock(life.mutex);
    const Clock::time_point next_start = life.backoff.next_start();
    lock.unlock();
    if (next_start <= limit) std::this_thread::sleep_until(next_start);
  }

  void execute(const ExecutionRequest& request, ExecutionDone done) override {
    Life& life = this->life();
    const Connection connection = living(life);
    if (connection == nullptr || !is_current(request, life)) return done(answer_of(void_id()));
    const uint64_t id = connection->next_id();
    const auto message = encode_request(id, request);
    if (!message) return done(answer_of(message.error()));
    auto on_answer = [&life, connection = connection.get(), done = std::move(done)](const auto& bytes) {
      auto answer = bytes ? decode_answer<ExecutionAnswer>(*bytes) : Result<ExecutionAnswer>(answer_of(bytes.error()));
      if (!answer) return false;
      ExecutionAnswer told = *answer ? **std::move(answer) : answer_of(answer->error());
      if (told.code == Code::kDeadObject || told.code == Code::kMissedDeadlineTransient) look_after(*connection, life, told.code);
      done(std::move(told));
      return true;
    };
    connection->request(id, *message, limit_for(request.deadline, options_.execution_limit), std::move(on_answer),
                        request.caller_waits);
  }

  pid_t process() const {
    Life& life = this->life();
    const std::lock_guard lock(life.mutex);
    return life.connection != nullptr ? life.connection->pid() : 0;
  }

 private:
  struct Life;

  Error void_id() const { return {Code::kDeadObject, options_.name + ": the plugin host was lost since this was made"}; }

  static ExecutionAnswer answer_of(const Error& error) { return {.code = error.code, .message = error.message}; }

  HostConnection::Limit limit_for(const std::optional<Clock::time_point>& deadline, std::chrono::milliseconds otherwise) const {
    const Clock::time_point limit = Clock::now() + otherwise;
    if (!deadline || *deadline >= limit) return {limit, false};
    return {*deadline + options_.grace, true};
  }

  // ---- Ids

  Status require_current(auto id) const {
    Life& life = this->life();
    const std::lock_guard lock(life.mutex);
    if (generation_of(id) == life.generation) return {};
    return fail(void_id());
  }
  static bool is_current(const ExecutionRequest& request, Life& life) {
    const std::lock_guard lock(life.mutex);
    const auto is_known = [generation = life.generation](const ArgumentPlace& place) {
      return (place.range.region == RegionId::kNone || generation_of(place.range.region) == generation) &&
             (place.memory == MemoryId::kNone || generation_of(place.memory) == generation);
    };
    return generation_of(request.compilation) == life.generation && std::ranges::all_of(request.inputs, is_known) &&
           std::ranges::all_of(request.outputs, is_known);
  }
  Status check_regions(const ModelDescription& model) const {
    for (const ModelOperand& operand : model.operands) {
      if (operand.range.region != RegionId::kNone) NNVK_TRY(require_current(operand.range.region));
    }
    return {};
  }
  // Checks an id that the host returned. DEAD_OBJECT unless it belongs to the present host.
  template <class Id>
  Result<Id> checked(Result<Id> id) const {
    if (!id || require_current(*id)) return id;
    return fail(Code::kDeadObject, options_.name + ": the plugin host was lost meanwhile, or gave out an id that cannot be one");
  }

  // ---- Requests

  template <class R>
  Result<typename AnswerTo<R>::type> call(const R& request) {
    return call(request, limit_for(std::nullopt, options_.call_limit));
  }
  // Sends a request; starts the host if there is none. UNAVAILABLE_DEVICE if the host did not answer in time: a second try would
  // take as long.
  template <class R>
  Result<typename AnswerTo<R>::type> call(const R& request, HostConnection::Limit limit) {
    using T = typename AnswerTo<R>::type;
    Life& life = this->life();
    NNVK_ASSIGN(const Connection connection, started(life, limit.at));
    const uint64_t id = connection->next_id();
    NNVK_ASSIGN(const Message message, encode_request(id, request));
    std::optional<Result<T>> answer;
    const auto on_answer = [&](const Result<std::span<const std::byte>>& bytes) {
      answer = bytes ? decode_answer<T>(*bytes) : std::optional(Result<T>(fail(bytes.error())));
      return answer.has_value();
    };
    connection->request(id, message, limit, on_answer, true);
    if (!*answer) {
      Error error = answer->error();
      look_after(*connection, life, error.code);
      const bool is_too_late = error.code == Code::kDeadObject && Clock::now() >= limit.at;
      return fail(is_too_late ? too_late() : std::move(error));
    }
    return *std::move(answer);
  }
  Status success_of(auto id, const auto& request) {
    NNVK_TRY(require_current(id));
    NNVK_TRY(call(request));
    return {};
  }
  void post(auto id, const auto& request) {
    Life& life = this->life();
    const Connection connection = living(life);
    if (connection == nullptr || !require_current(id)) return;
    // Posted requests free objects of the host. If memory for the message runs out, the objects stay until the host ends.
    static_cast<void>(catch_out_of_memory([&]() -> Status {
      NNVK_ASSIGN(const Message message, encode_request(connection->next_id(), request));
      connection->send(message);
      return {};
    }));
  }

  // ---- Lives of the host

  // Returns the connection to the host that runs, or null if none does. If the host has just been lost, the function ends its
  // generation of ids. It also frees the lost connections that nobody waits for any more.
  static Connection living(Life& life) {
    Connection connection;
    std::vector<Connection> settled;  // destroyed without the lock
    {
      const std::lock_guard lock(life.mutex);
      connection = life.connection;
      const auto are_settled =
          std::partition(life.lost.begin(), life.lost.end(), [](const auto& one) { return !one->has_settled(); });
      settled.assign(std::move_iterator(are_settled), std::move_iterator(life.lost.end()));
      life.lost.erase(are_settled, life.lost.end());
    }
    if (connection == nullptr || connection->loss().empty()) return connection;
    note_loss(*connection, life);
    return nullptr;
  }

  // Notes the loss of the host, if an answer with this code may mean that. A plugin that reports DEAD_OBJECT gets a new process.
  static void look_after(HostConnection& connection, Life& life, Code code) {
    if (code == Code::kDeadObject) connection.lose("the plugin says that it is dead");
    if (!connection.loss().empty()) note_loss(connection, life);
  }

  // Ends the generation of ids of a lost connection. Does so only once, though several threads may detect the loss.
  static void note_loss(const HostConnection& lost, Life& life) {
    const std::lock_guard lock(life.mutex);
    if (life.connection.get() != &lost) return;
    life.lost.push_back(std::move(life.connection));
    life.connection = nullptr;
    ++life.generation;
    life.backoff.lost(Clock::now());
  }

  // Returns the connection. If no host runs, starts one, which may take until `limit`.
  Result<Connection> started(Life& life, Clock::time_point limit) {
    if (Connection connection = living(life)) return connection;
    const std::lock_guard starting(life.start_mutex);
    if (Connection connection = living(life)) return connection;
    HostCommand command = options_.command;
    {
      const std::lock_guard lock(life.mutex);
      const auto pause = life.backoff.next_start() - Clock::now();
      if (pause > Clock::duration::zero()) return fail(too_soon(life.backoff.losses(), pause));
      life.backoff.started(Clock::now());
      command.arguments.insert(command.arguments.end(), {"--first-id", std::to_string(first_id(life.generation))});
    }
    auto connection = HostConnection::start(command, limit);
    const std::lock_guard lock(life.mutex);
    if (connection) {
      life.has_run = true;
      return life.connection = *std::move(connection);
    }
    life.backoff.lost(Clock::now());
    Error error = connection.error().on_device(options_.name);
    if (life.has_run && Clock::now() < limit) error.code = Code::kDeadObject;  // a host ran before: lost, not missing
    return fail(std::move(error));
  }

  Error too_late() const {
    return {Code::kUnavailableDevice,
            options_.name + ": the plugin has not answered for " +
                std::to_string(std::chrono::ceil<std::chrono::milliseconds>(options_.call_limit).count()) +
                " ms, and was ended; \"patience_seconds\" of its manifest says how long it may take"};
  }

  Error too_soon(unsigned losses, Clock::duration pause) const {
    return {Code::kDeadObject, options_.name + ": the plugin host was lost " + std::to_string(losses) +
                                   " times in short order and is not started again for the next " +
                                   std::to_string(std::chrono::ceil<std::chrono::milliseconds>(pause).count()) + " ms"};
  }

  // The driver's state in one process. After a fork, the child's copy has no reader thread, and its locks may stay locked. The
  // child leaves this copy alone, makes a new Life and starts its own host.
  struct Life {
    explicit Life(const RestartBackoff::Rule& rule) : backoff(rule) {}
    ~Life() {
      if (connection != nullptr) connection->close();
      for (const Connection& one : lost) one->close();
    }
    Life(const Life&) = delete;
    Life& operator=(const Life&) = delete;

    const pid_t owner = ::getpid();
    std::mutex start_mutex;  // held during a start; `mutex` never is
    std::mutex mutex;        // guards the members below
    Connection connection;
    std::vector<Connection> lost;  // their threads may still make their last calls
    uint64_t generation = 1;
    bool has_run = false;  // a host has run before
    RestartBackoff backoff;
    std::optional<std::vector<DeviceDescription>> devices;
  };

  Life& life() const {
    Life* const current = life_.load(std::memory_order_acquire);
    if (current->owner == ::getpid()) return *current;
    auto* const own = new Life(options_.restart);
    own->generation = current->generation + 1;
    own->has_run = current->has_run;
    life_.store(own, std::memory_order_release);
    return *own;
  }

  const HostedDriverOptions options_;
  mutable std::atomic<Life*> life_;
};

}  // namespace

std::unique_ptr<Driver> make_hosted_driver(const HostedDriverOptions& options) { return std::make_unique<HostedDriver>(options); }

Result<std::unique_ptr<Driver>> make_hosted_driver(const Manifest& manifest) {
  HostedDriverOptions options;
  options.name = manifest.name;
  options.execution_limit = options.call_limit = std::chrono::seconds(manifest.patience_seconds);
  NNVK_ASSIGN(options.command, host_command(manifest));
  return make_hosted_driver(options);
}

pid_t process_of_hosted_driver(const Driver& driver) {
  const auto* hosted = dynamic_cast<const HostedDriver*>(&driver);
  return hosted != nullptr ? hosted->process() : 0;
}

}  // namespace nnvk::accelerators
