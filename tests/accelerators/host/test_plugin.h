// Orders for the test plugin: the first element of its first input is either an order or a number to add.
#pragma once

#include <chrono>

namespace nnvk::test {

// File names of copies of the plugin's library that load slowly, or hang for ever.
inline constexpr const char* kSlowToLoad = "/slow_to_load.so";
inline constexpr const char* kHangsInLoad = "/hangs_in_load.so";
inline constexpr const char* kHangsInDevices = "/hangs_in_devices.so";
inline constexpr const char* kHangsInSupport = "/hangs_in_support.so";
inline constexpr const char* kHangsInCompile = "/hangs_in_compile.so";
inline constexpr std::chrono::milliseconds kSlowness{4000};  // of kSlowToLoad

// Passed as floats, which represent them exactly. The answer is the first element of the sum: 0 or an errno, unless noted below.
enum Order : int {
  kCrash = 1'000'001,  // a wild pointer
  kAbort,              // abort()
  kExit,               // exit()
  kHang,               // for ever
  kSleep,              // 30 ms, and adds
  kOpenFile,           // reading a file
  kCreateFile,         // in /tmp
  kConnect,            // a socket
  kFork,
  kExecute,              // a program
  kKillParent,           // a signal to another process
  kMapCode,              // memory with PROT_EXEC
  kStartThread,          // which is allowed
  kCountDescriptors,     // answer: how many are open
  kCountVariables,       // answer: variables in the environment
  kAskCoreLimit,         // answer: the largest core dump in bytes
  kAskDirectory,         // answer: 1 when the working directory is not /
  kSendRubbish,          // bytes that are no message, on the host's socket
  kSendTruncatedAnswer,  // an answer to this execution that is cut
  kSendWrongAnswer,      // an answer to this execution of another type
  kSendUnaskedAnswer,    // to a request that does not exist
  kSendDescriptor,       // an answer with a descriptor
  kSendHugeCounts,       // an answer that claims to have very many outputs
  kClaimWrongRank,       // an output with rank 100
  kClaimWrongShape,      // an output with other dimensions than the model's
  kReturnDeadObject,     // the code
  kReturnNoCode,         // a number that is no result code
  kShrinkMemory,         // of its output, by its own descriptor
  kFillMemory,           // memory files, written to until there are no more
  kFillThreads,          // starts up to 1000 waiting threads, then waits 2 s; answer: how many
  kPrintMuch,            // 8 MiB, with control characters
  kReportAttacks,        // writes the results of its attacks after its output (hostile/)
};

// The points in a plugin's life at which its code runs.
enum class Stage : int { kConstructor, kTable, kDevices, kSupported, kCompile, kExecute };
inline constexpr int kStages = 6;

// Only the library of the hostile plugin defines these (hostile/hostile_plugin.cpp): they attack, and write the results.
[[gnu::weak]] void attack(Stage stage);
[[gnu::weak]] void report_attacks(float* results);

inline constexpr int kRefused = 1;  // EPERM

}  // namespace nnvk::test
