// Sections of time in a trace that Perfetto and chrome://tracing show. The environment variable NNVK_TRACE=FILE switches the
// trace on. On Android, without that variable, sections go to the system's tracing (ATrace) instead.
//
// Names are NNAPI's (docs/nnapi/log_and_trace.md#sections): "[NN_<layer>_<phase>]<detail>". Layers: LA application, LR runtime,
// LI IPC, LD driver, LC CPU executor, LO other, LU utility (works for its caller). Phases: PO overall, PWU warm-up, PBM
// benchmark, PI initialisation; PP preparation, PC compilation, PE execution, PT termination, PU unspecified (that of the
// enclosing section). Parts of an execution: PIO inputs and outputs, PTR transformation, PCO computation, PR results.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/result.h"

namespace nnvk::trace {

enum class Mode : uint8_t { kUndecided, kOff, kFile, kSystem };
extern constinit std::atomic<Mode> mode;  // for the inline functions here

enum class Category : uint8_t {
  kWork,
  kWait,  // the thread only waits for others' work
};

// Returns false if tracing is off; a section then costs only this check. The first section reads the environment and decides.
inline bool may_be_on() { return mode.load(std::memory_order_relaxed) != Mode::kOff; }

// Returns true if nnvk writes a trace file; only a file can show tracks that are no threads.
bool writes_file();

// Begins a section named `name` followed by `detail` on this thread. Returns true if a trace records it: then end() must follow.
bool begin(std::string_view name, std::string_view detail = {}, Category category = Category::kWork);
void end();

// Traces a section that lasts as long as the object. Costs one relaxed load while tracing is off.
class Section {
 public:
  explicit Section(std::string_view name, std::string_view detail = {}, Category category = Category::kWork)
      : Section(may_be_on() && begin(name, detail, category)) {}
  // Makes an object that ends the section for which begin() returned `begun`.
  static Section ending(bool begun) { return Section(begun); }
  ~Section() {
    if (begun_) end();
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  template <class Begun>
  requires std::is_same_v<Begun, bool>  // so that no pointer converts to bool
  explicit Section(Begun begun) : begun_(begun) {}
  bool begun_;
};

// Returns the time now, as all events give it: in nanoseconds of CLOCK_MONOTONIC, the clock of std::chrono::steady_clock.
uint64_t now();

// A track beside those of the threads, for the work of a device.
using TrackId = uint64_t;
TrackId make_track(std::string_view name);
// Adds work on a device from `begin` to `end` (in the time of now()) to a track. Slices of one track must not overlap.
void slice(TrackId track, std::string_view name, std::string_view detail, uint64_t begin, uint64_t end);

// Names the calling thread for debuggers and for the trace, 15 characters at most.
void name_this_thread(const char* name);

// Begins to write to this file, as NNVK_TRACE does. The file starts anew unless this process (an earlier load of this library, or
// another library with this code) has begun it. nnvk writes when 64 KiB have gathered, every second while there are events, and
// at exit or dlclose. The file is whole JSON after each write, so a killed process leaves a readable one. OP_FAILED if nnvk may
// not write it: it must be new, or a regular file of this user with one name and no symbolic link. If another process keeps the
// file locked, a start fails after some milliseconds; later events are left out and counted in the log.
Status start_file(const std::string& file);

}  // namespace nnvk::trace
