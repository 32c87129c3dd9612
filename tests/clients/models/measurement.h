// How a framework with nnvk's plugin in front compares with the framework alone: time, memory and results. Shared by the programs
// that run whole models.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace nnvk::test {

struct Settings {
  std::string device = "nnvk-cpu";
  int threads = 1;
  int rounds = 7;
  double seconds = 0.5;   // of each contestant in each round
  std::string input;      // a file of raw values for the first input; else they are made up
  std::string min_nodes;  // the option of the plugin; empty: predicted times decide
  std::string choice;     // the option of ONNX Runtime's provider; empty: the default
  std::string only;       // "stock" or "nnvk": runs that one alone and reports its memory
  bool explains = false;
  std::vector<std::string> others;  // arguments without a name
};
// Ends the program after an unknown argument.
Settings settings_from(int count, char** arguments);

// Runs both by turns and gives the times in milliseconds: {"stock_ms": [median of each round], "nnvk_ms": [...], the smallest of
// each, "ratio": median of the rounds' ratios, "processor_ratio": the same of processor times}. The last one serves on a machine
// that others use, if there is one thread.
nlohmann::json times_by_turns(const Settings& settings, const std::function<void()>& stock, const std::function<void()>& own);

// The most memory that this process has had, in bytes.
uint64_t peak_memory();

// The largest difference of two outputs: {"relative": ..., "steps": ...}. Relative to the largest magnitude of `expected`.
// Integers, and floats that are multiples of one step as a DequantizeLinear gives them, also count in steps, with the number of
// elements that differ by more than one.
nlohmann::json difference(std::span<const double> own, std::span<const double> expected, bool integers);

// Fills an input: the first one with the bytes of settings.input, if there is such a file, others with made-up values (floats
// from -1 to 1, integers over their whole range). Throws if the file has another size.
void fill_input(std::span<std::byte> bytes, bool floats, size_t index, const Settings& settings);

}  // namespace nnvk::test
