// Writes events in Chrome's JSON array format. Allocates nothing, keeps no file open and destroys nothing: each write opens,
// locks and extends the file. So loading, unloading and forking, exit handlers and other writers need no special code.
#include "core/base/trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <span>

#ifdef __ANDROID__
#include <dlfcn.h>
#endif

#include "core/base/config.h"
#include "core/base/exit_handler.h"
#include "core/base/file_descriptor.h"
#include "core/base/log.h"

namespace nnvk::trace {

constinit std::atomic<Mode> mode{Mode::kUndecided};

namespace {

constexpr size_t kBufferBytes = size_t{64} * 1024;
constexpr size_t kLineBytes = 1024;
constexpr size_t kNameBytes = 120;  // each character may become six
constexpr std::string_view kEnding = "\n]\n";
constexpr uint64_t kFlushNanoseconds = 1'000'000'000;

// One event of the file, without the separator before it.
class Line {
 public:
  template <class... Arguments>
  explicit Line(const char* format, Arguments... arguments) {
    size_ = static_cast<size_t>(std::snprintf(text_.data(), text_.size(), format, arguments...));
  }
  // Appends the first kNameBytes bytes of the text as a part of a JSON string. Bytes that are not ASCII become '?', because the
  // text may be invalid UTF-8.
  Line& escaped(std::string_view text) {
    for (const char c : text.substr(0, kNameBytes)) {
      if (c == '"' || c == '\\') text_[size_++] = '\\';
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20) {
        size_ += static_cast<size_t>(std::snprintf(text_.data() + size_, 7, "\\u%04x", byte));
      } else {
        text_[size_++] = byte < 0x7f ? c : '?';
      }
    }
    return *this;
  }
  Line& text(std::string_view text) {
    std::memcpy(text_.data() + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 2 * kLineBytes> text_;
  size_t size_ = 0;
};

// All members are trivial to destroy, because events may come after exit handlers have run.
struct Output {
  std::mutex mutex;
  std::array<char, PATH_MAX> path{};
  std::array<char, kBufferBytes> buffer{};
  size_t used = 0;
  uint64_t written_at = 0;
  uint64_t left_out = 0;  // events for which the buffer had no room, because another process held the file's lock
  bool at_once = false;   // the process ends: write each event directly, as nobody flushes any more
  std::atomic<uint32_t> tracks{0};
};
static_assert(std::is_trivially_destructible_v<Output>);
constinit Output output{};
constinit std::mutex deciding{};

int process() { return static_cast<int>(::getpid()); }
int thread() { return static_cast<int>(::syscall(SYS_gettid)); }

unsigned long long microseconds(uint64_t nanoseconds) { return nanoseconds / 1000; }
unsigned fraction(uint64_t nanoseconds) { return static_cast<unsigned>(nanoseconds % 1000); }

std::array<char, 17> name_of_thread() {
  std::array<char, 17> name{};
  ::prctl(PR_GET_NAME, name.data());
  return name;
}

// Returns the start time of this process in clock ticks since boot; 0 if unknown. Pid and start time together name a process.
unsigned long long process_start() {
  std::array<char, 1024> text{};
  const FileDescriptor file(::open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
  const ssize_t size = ::read(file.get(), text.data(), text.size() - 1);
  const char* field = size > 0 ? std::strrchr(text.data(), ')') : nullptr;  // ends field 2, which may hold anything
  for (int i = 2; i < 22 && field != nullptr; ++i) field = std::strchr(field + 1, ' ');
  return field != nullptr ? std::strtoull(field, nullptr, 10) : 0;
}

Line process_line() {
  Line line(R"({"ph":"M","pid":%d,"tid":%d,"name":"process_name","args":{"start":%llu,"name":")", process(), process(),
            process_start());
  line.escaped(name_of_thread().data()).text("\"}}");
  return line;
}

// Returns the reason why NNVK_TRACE may not write to a file, or null. Another user may have put a link or a file of their own in
// its place.
const char* why_not_ours(int file) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return std::strerror(errno);
  if (!S_ISREG(facts.st_mode)) return "it is not a regular file";
  if (facts.st_uid != ::geteuid()) return "it belongs to another user";
  if (facts.st_nlink != 1) return "it has several names (hard links)";
  return nullptr;
}

enum class Patience : uint8_t { kNone, kMilliseconds };

struct OpenedFile {
  FileDescriptor file;            // that this process alone writes while it is open
  const char* problem = nullptr;  // why there is none
  bool is_locked = false;         // by another process: that is the problem
};

// Opens and locks the trace file. Other libraries of this process and its forks hold the lock for less than a millisecond.
OpenedFile open_locked(const char* path, int flags, Patience patience) {
  constexpr int kAttempts = 20;
  constexpr timespec kPause{0, 500'000};
  FileDescriptor file(::open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, 0644));
  if (!file) return {{}, errno == ELOOP ? "it is a symbolic link" : std::strerror(errno)};
  if (const char* problem = why_not_ours(file.get())) return {{}, problem};
  for (int attempt = 1; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return {{}, std::strerror(errno)};
    if (patience == Patience::kNone || attempt == kAttempts) return {{}, "another process keeps it locked", true};
    ::nanosleep(&kPause, nullptr);
  }
  return {std::move(file)};
}

// Overwrites the closing bracket of the file with the events and a new bracket. Returns the problem, or null.
const char* append(int file, std::string_view events) {
  const off_t end = ::lseek(file, 0, SEEK_END) - static_cast<off_t>(kEnding.size());
  std::array<char, kEnding.size()> ending{};
  const bool is_ours = end > 0 && ::pread(file, ending.data(), ending.size(), end) == static_cast<ssize_t>(ending.size()) &&
                       std::string_view(ending.data(), ending.size()) == kEnding;
  if (!is_ours) return "somebody else has written to it";
  return write_all(file, std::as_bytes(std::span(events)), end) ? nullptr : std::strerror(errno);
}

// Callers of functions named ..._locked hold the mutex.
void write_out_locked() {
  output.written_at = now();
  if (output.used == 0 || mode.load(std::memory_order_relaxed) == Mode::kOff) return;
  OpenedFile opened = open_locked(output.path.data(), 0, output.at_once ? Patience::kMilliseconds : Patience::kNone);
  if (opened.is_locked && !output.at_once) return;  // the events stay in the buffer for the next time
  if (!opened.problem) {
    std::memcpy(output.buffer.data() + output.used, kEnding.data(), kEnding.size());
    opened.problem = append(opened.file.get(), {output.buffer.data(), output.used + kEnding.size()});
  }
  output.used = 0;
  if (!opened.problem) return;
  mode.store(Mode::kOff, std::memory_order_relaxed);
  log_line(LogLevel::kError, "Trace", std::string("tracing stops: cannot extend ") + output.path.data() + ": " + opened.problem);
}

void add_locked(std::string_view line) {
  const auto has_room = [&] { return output.used + line.size() + 2 + kEnding.size() <= output.buffer.size(); };
  if (!has_room()) write_out_locked();
  if (mode.load(std::memory_order_relaxed) == Mode::kOff) return;
  if (!has_room()) {
    ++output.left_out;
    return;
  }
  for (const std::string_view part : {std::string_view(",\n"), line}) {
    std::memcpy(output.buffer.data() + output.used, part.data(), part.size());
    output.used += part.size();
  }
}

void add(const Line& line, uint64_t time) {
  const std::lock_guard lock(output.mutex);
  add_locked(line.view());
  if (output.at_once || time > output.written_at + kFlushNanoseconds) write_out_locked();
}

// Writes the name of a thread, or of a track that belongs to no thread.
void introduce(TrackId track, std::string_view name) {
  Line line(R"({"ph":"M","pid":%d,"tid":%llu,"name":"thread_name","args":{"name":")", process(),
            static_cast<unsigned long long>(track));
  line.escaped(name).text("\"}}");
  const std::lock_guard lock(output.mutex);
  add_locked(line.view());
}

// Writes the thread's name before its first event, and again after a fork, which gives the only thread a new id.
void introduce_thread(int tid) {
  static thread_local int introduced = 0;
  if (introduced == tid) return;
  introduced = tid;
  introduce(static_cast<TrackId>(tid), name_of_thread().data());
}

// Continues to write to the same file in a child of fork, with the child's own events only.
void after_fork_in_child() {
  output.used = 0;
  add_locked(process_line().view());
  output.mutex.unlock();
}

void at_exit() {
  const std::lock_guard lock(output.mutex);
  output.at_once = true;
  write_out_locked();
  if (output.left_out == 0) return;
  log_line(LogLevel::kWarning, "Trace",
           std::to_string(output.left_out) + " events are missing in " + output.path.data() + ": another process kept it locked");
}

#ifdef __ANDROID__
struct SystemTrace {
  bool (*is_enabled)() = nullptr;
  void (*begin)(const char*) = nullptr;
  void (*end)() = nullptr;
};
SystemTrace system_trace;

bool find_system_trace() {
  void* const library = ::dlopen("libandroid.so", RTLD_NOW);
  if (library == nullptr) return false;
  system_trace = {reinterpret_cast<bool (*)()>(::dlsym(library, "ATrace_isEnabled")),
                  reinterpret_cast<void (*)(const char*)>(::dlsym(library, "ATrace_beginSection")),
                  reinterpret_cast<void (*)()>(::dlsym(library, "ATrace_endSection"))};
  return system_trace.is_enabled != nullptr && system_trace.begin != nullptr && system_trace.end != nullptr;
}

bool begin_in_system(std::string_view name, std::string_view detail) {
  if (!system_trace.is_enabled()) return false;
  std::array<char, 2 * kNameBytes + 1> text{};
  std::memcpy(text.data(), name.data(), std::min(name.size(), kNameBytes));
  std::memcpy(text.data() + std::min(name.size(), kNameBytes), detail.data(), std::min(detail.size(), kNameBytes));
  system_trace.begin(text.data());
  return true;
}

void end_in_system() { system_trace.end(); }
#else
bool find_system_trace() { return false; }
bool begin_in_system(std::string_view, std::string_view) { return false; }
void end_in_system() {}
#endif

Mode decided_mode() {
  const std::lock_guard lock(deciding);
  const Mode known = mode.load(std::memory_order_relaxed);
  if (known != Mode::kUndecided) return known;
  const std::string file = read_setting("NNVK_TRACE", nullptr).value_or("");
  if (!file.empty()) {
    if (const Status started = start_file(file); !started) {
      mode.store(Mode::kOff, std::memory_order_relaxed);
      log_line(LogLevel::kError, "Trace", "NNVK_TRACE: " + started.error().text());
    }
  } else {
    mode.store(find_system_trace() ? Mode::kSystem : Mode::kOff, std::memory_order_relaxed);
  }
  return mode.load(std::memory_order_relaxed);
}

Mode current_mode() {
  const Mode known = mode.load(std::memory_order_relaxed);
  return known != Mode::kUndecided ? known : decided_mode();
}

}  // namespace

bool writes_file() { return current_mode() == Mode::kFile; }

uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(time.tv_nsec);
}

bool begin(std::string_view name, std::string_view detail, Category category) {
  const Mode current = current_mode();
  if (current == Mode::kOff) return false;
  if (current == Mode::kSystem) return begin_in_system(name, detail);
  const int tid = thread();
  introduce_thread(tid);
  const uint64_t time = now();
  Line line(R"({"ph":"B","pid":%d,"tid":%d,"ts":%llu.%03u,"cat":"%s","name":")", process(), tid, microseconds(time),
            fraction(time), category == Category::kWait ? "wait" : "nnapi");
  line.escaped(name).escaped(detail).text("\"}");
  add(line, time);
  return true;
}

void end() {
  const Mode current = mode.load(std::memory_order_relaxed);
  if (current == Mode::kSystem) return end_in_system();
  if (current != Mode::kFile) return;  // writing has failed since then
  const uint64_t time = now();
  add(Line(R"({"ph":"E","pid":%d,"tid":%d,"ts":%llu.%03u})", process(), thread(), microseconds(time), fraction(time)), time);
}

TrackId make_track(std::string_view name) {
  // The track's id is beyond all thread ids, and differs between the libraries of the process.
  const uint64_t library = (reinterpret_cast<uintptr_t>(&output) >> 12) & 0xfffff;
  const TrackId track = (uint64_t{1} << 30) + (library << 8) + output.tracks.fetch_add(1, std::memory_order_relaxed) % 256;
  if (writes_file()) introduce(track, name);
  return track;
}

void slice(TrackId track, std::string_view name, std::string_view detail, uint64_t begin, uint64_t end) {
  if (!writes_file()) return;
  const uint64_t duration = end > begin ? end - begin : 0;
  Line line(R"({"ph":"X","pid":%d,"tid":%llu,"ts":%llu.%03u,"dur":%llu.%03u,"cat":"gpu","name":")", process(),
            static_cast<unsigned long long>(track), microseconds(begin), fraction(begin), microseconds(duration),
            fraction(duration));
  line.escaped(name).escaped(detail).text("\"}");
  add(line, now());
}

void name_this_thread(const char* name) { ::prctl(PR_SET_NAME, name); }

Status start_file(const std::string& file) {
  const auto refuse = [&](const char* what, const char* problem) {
    return fail(Code::kOpFailed, std::string(what) + " the trace " + file + ": " + problem);
  };
  std::string path = file;
  if (path.front() != '/') {  // the process may change its directory
    std::array<char, PATH_MAX> directory{};
    if (::getcwd(directory.data(), directory.size()) == nullptr) {
      return refuse("cannot find the folder of", std::strerror(errno));
    }
    path = std::string(directory.data()) + "/" + file;
  }
  if (path.size() >= output.path.size()) return fail(Code::kOpFailed, "the path of the trace is too long");
  const Line first = process_line();
  const std::string begun = "[\n" + std::string(first.view());
  {
    const OpenedFile opened = open_locked(path.c_str(), O_CREAT, Patience::kMilliseconds);
    if (opened.problem) return refuse("cannot open", opened.problem);
    const int trace = opened.file.get();
    std::array<char, kLineBytes> found{};
    const ssize_t count = ::pread(trace, found.data(), begun.size(), 0);
    if (count != static_cast<ssize_t>(begun.size()) || std::string_view(found.data(), begun.size()) != begun) {
      const std::string whole = begun + std::string(kEnding);
      if (!resize_file(trace, 0) || !write_all(trace, std::as_bytes(std::span(whole)), 0)) {
        return refuse("cannot write", std::strerror(errno));
      }
    }
  }
  {
    const std::lock_guard lock(output.mutex);
    std::memcpy(output.path.data(), path.c_str(), path.size() + 1);
    output.written_at = now();
  }
  ::pthread_atfork([] { output.mutex.lock(); }, [] { output.mutex.unlock(); }, after_fork_in_child);
  call_at_exit(at_exit);
  mode.store(Mode::kFile, std::memory_order_relaxed);
  return {};
}

}  // namespace nnvk::trace
