// The manifest of a shader family: its kernels, their sources and their bindings. Parsed strictly.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/shader_packer/vocabulary.h"

namespace nnvk::shader_packer {

enum class BindingKind { kInput, kTable, kOutput, kInOut };

struct Binding {
  std::string name;
  BindingKind kind = BindingKind::kInput;
};

struct Variant {
  const VariantKind* kind = nullptr;  // never null
  std::vector<std::string> features;  // device features that this variant needs beside the kernel's
};

struct Kernel {
  std::string name;                  // "Softmax": becomes KernelId::kSoftmax
  std::string source;                // file in shaders/
  std::vector<std::string> defines;  // "NAME" or "NAME=VALUE"
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  std::string params_struct;                // empty: no push constants
  std::vector<Binding> bindings;            // by binding number
  std::vector<std::string> specialization;  // names by constant id
  std::vector<std::string> features;        // device features that every variant needs, see vocabulary.h
  std::vector<Variant> variants;            // in order of preference; the last is "words"
  std::string gathered;                     // name of its gathered form (gathered.h); empty: it needs none
  bool derived = false;                     // it is such a form, not in a manifest
};

struct Family {
  std::string name;
  std::string params_header;  // "softmax_params.h"; empty when no kernel has parameters
  std::vector<Kernel> kernels;
};

// Parses a manifest. Throws std::runtime_error that names the file, the kernel and the wrong key. Causes: unknown or missing
// keys, wrong types, unknown variants or features, names that are invalid in C++, duplicate names, empty lists.
Family parse_manifest(const std::string& json_text, const std::string& file_name);

// Reads all *.json of a folder, sorted by name. Throws like parse_manifest(), and also when two families share a kernel name or a
// manifest's file name is not "<family>.json".
std::vector<Family> read_manifests(const std::filesystem::path& folder);

const char* to_string(BindingKind kind);

}  // namespace nnvk::shader_packer
