// The exported symbols of libneuralnetworks.so and their version nodes, read from the file itself.
#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <link.h>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "api/entry_points.h"

namespace nnvk {
namespace {

// The functions that NNAPI's main header declares. The misuse tests call each of them by its name.
std::set<std::string> declared_functions() {
  std::ifstream file(NNVK_SOURCE_DIR "/include/android/NeuralNetworks.h");
  const std::regex declaration(R"(^\w[\w *]*\b(ANeuralNetworks\w+)\()");
  std::set<std::string> names;
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_search(line, found, declaration)) names.insert(found[1]);
  }
  return names;
}

const std::set<std::string> kLibneuralnetworks = declared_functions();

const std::set<std::string> kLibneuralnetworksPlatform = {
    "ANeuralNetworksCompilation_addExtensionAttribute", "ANeuralNetworksDevice_getExtensionSupport",
    "ANeuralNetworksExecution_addExtensionAttribute",   "ANeuralNetworksModel_getExtensionOperandType",
    "ANeuralNetworksModel_getExtensionOperationType",   "ANeuralNetworksModel_setOperandExtensionData",
};

const std::set<std::string> kNnvk1 = {
    "nnvk_calibrateDevices",
    "nnvk_describeDevices",
    "nnvk_explainModel",
    "nnvk_listKernels",
    "nnvk_describeCompilation",
    "nnvk_enableProfiling",
    "nnvk_describeExecution",
    "nnvk_lastError",
    "nnvk_muteFailedCalls",
    "nnvk_findDevice",
    "nnvk_freeString",
    "nnvk_traceBegin",
    "nnvk_traceEnd",
    "nnvk_Compilation_addInputShapes",
    "nnvk_Execution_setInputPicture",
    "nnvk_Execution_setInputPictureCrops",
    "nnvk_getInterface",
    "nnvk_vkBufferNeeds",
    "nnvk_vkCreateRecording",
    "nnvk_vkCreateRecordingIfPrepared",
    "nnvk_vkFreeRecording",
    "nnvk_vkGetRecordInfo",
    "nnvk_vkGetRequirements",
    "nnvk_vkImportDevice",
    "nnvk_vkMemoryFromBuffer",
    "nnvk_vkMemoryFromDeviceMemory",
    "nnvk_vkMemoryFromImage",
    "nnvk_vkMemoryFromImages",
    "nnvk_vkPatchFeatures",
    "nnvk_vkPreparationDone",
    "nnvk_vkPrepareRecording",
    "nnvk_vkRecord",
    "nnvk_vkRecordPreparation",
    "nnvk_vkRecordSlice",
    "nnvk_vkReleaseDevice",
    "nnvk_vkResetRecording",
    "nnvk_vkStartCompute",
    "nnvk_Memory_createFromFds",
    "nnvk_Model_setOperandValueInPlace",
    "nnvk_Model_setOperandValueTransposed",
};

// Defined dynamic symbols by version node, and the names of needed libraries (as "needed") and the library's own ("soname").
std::map<std::string, std::set<std::string>> read_library() {
  Dl_info info{};
  EXPECT_NE(::dladdr(reinterpret_cast<void*>(&ANeuralNetworksModel_create), &info), 0);
  std::ifstream file(info.dli_fname, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::map<std::string, std::set<std::string>> result;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(bytes.data());
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes.data() + header->e_shoff);
  const ElfW(Shdr)* symbols = nullptr;
  const ElfW(Shdr)* versions = nullptr;
  const ElfW(Shdr)* definitions = nullptr;
  const ElfW(Shdr)* dynamic = nullptr;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_DYNSYM) symbols = &sections[i];
    if (sections[i].sh_type == SHT_GNU_versym) versions = &sections[i];
    if (sections[i].sh_type == SHT_GNU_verdef) definitions = &sections[i];
    if (sections[i].sh_type == SHT_DYNAMIC) dynamic = &sections[i];
  }
  if (symbols == nullptr || versions == nullptr || definitions == nullptr || dynamic == nullptr) return result;
  const char* names = bytes.data() + sections[symbols->sh_link].sh_offset;

  std::map<int, std::string> version_names;
  const char* definition = bytes.data() + definitions->sh_offset;
  for (unsigned i = 0; i < definitions->sh_info; ++i) {
    const auto* verdef = reinterpret_cast<const ElfW(Verdef)*>(definition);
    const auto* aux = reinterpret_cast<const ElfW(Verdaux)*>(definition + verdef->vd_aux);
    version_names[verdef->vd_ndx] = names + aux->vda_name;
    definition += verdef->vd_next;
  }
  const auto* symbol = reinterpret_cast<const ElfW(Sym)*>(bytes.data() + symbols->sh_offset);
  const auto* version = reinterpret_cast<const uint16_t*>(bytes.data() + versions->sh_offset);
  for (size_t i = 0; i < symbols->sh_size / sizeof(ElfW(Sym)); ++i) {
    if (ELF64_ST_BIND(symbol[i].st_info) == STB_LOCAL) continue;  // section symbols of some linkers
    if (symbol[i].st_shndx == SHN_UNDEF || symbol[i].st_shndx == SHN_ABS) continue;
    result[version_names[version[i] & 0x7fff]].insert(names + symbol[i].st_name);
  }
  for (const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(bytes.data() + dynamic->sh_offset); entry->d_tag != DT_NULL;
       ++entry) {
    if (entry->d_tag == DT_NEEDED) result["needed"].insert(names + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) result["soname"].insert(names + entry->d_un.d_val);
  }
  return result;
}

TEST(ExportedSymbols, AreExactlyThePublicFunctionsInTheirVersionNodes) {
  const auto library = read_library();
  std::set<std::string> nodes;
  for (const auto& [node, names] : library) {
    if (node != "needed" && node != "soname") nodes.insert(node);
  }
  EXPECT_EQ(nodes, (std::set<std::string>{"LIBNEURALNETWORKS", "LIBNEURALNETWORKS_PLATFORM", "NNVK_1"}));
  EXPECT_EQ(library.at("LIBNEURALNETWORKS"), kLibneuralnetworks);
  EXPECT_EQ(library.at("LIBNEURALNETWORKS_PLATFORM"), kLibneuralnetworksPlatform);
  EXPECT_EQ(library.at("NNVK_1"), kNnvk1);
  EXPECT_EQ(kLibneuralnetworks.size(), 69U);
  EXPECT_EQ(kLibneuralnetworksPlatform.size(), 6U);
}

// docs/nnapi/log_and_trace.md#sections: the phases by object and function, as the table there puts them.
std::string_view expected_trace_prefix(const std::string& function) {
  const auto starts = [&](const char* prefix) { return function.starts_with(std::string("ANeuralNetworks") + prefix); };
  const bool frees = function.ends_with("_free");
  if (function == "ANeuralNetworksModel_getSupportedOperationsForDevices" || function == "ANeuralNetworksMemory_createFromDesc") {
    return "[NN_LR_PC]";
  }
  if (function == "ANeuralNetworksMemory_copy") return "[NN_LR_PE]";
  if (function == "ANeuralNetworksEvent_wait" || function == "ANeuralNetworksEvent_free") return "[NN_LR_PE]";
  if (starts("Execution_set") && (function.find("Input") != std::string::npos || function.find("Output") != std::string::npos)) {
    return "[NN_LR_PIO]";
  }
  if (starts("Execution_")) return "[NN_LR_PE]";
  if (frees && !starts("Event_")) return "[NN_LR_PT]";
  if (starts("Model_") || starts("Memory_") || starts("Burst_")) return "[NN_LR_PP]";
  if (starts("Compilation_") || starts("MemoryDesc_")) return "[NN_LR_PC]";
  return {};
}

TEST(ExportedSymbols, EachHasItsRowAmongTheSectionsOfTheTrace) {
  std::set<std::string> traced;
  for (const auto& function : api::kTracedFunctions) traced.emplace(function.name);
  std::set<std::string> exported = kNnvk1;
  exported.insert(kLibneuralnetworks.begin(), kLibneuralnetworks.end());
  exported.insert(kLibneuralnetworksPlatform.begin(), kLibneuralnetworksPlatform.end());
  EXPECT_EQ(traced, exported);
  for (const std::string& function : exported) {
    EXPECT_EQ(api::trace_prefix(function), expected_trace_prefix(function)) << function;
  }
  EXPECT_EQ(api::trace_prefix("ANeuralNetworksModel_createdByOthers"), "");
}

TEST(ExportedSymbols, TheLibraryLoadsWithoutVulkan) {
  const auto library = read_library();
  EXPECT_EQ(library.at("soname"), std::set<std::string>{"libneuralnetworks.so"});
  for (const std::string& needed : library.at("needed")) EXPECT_EQ(needed.find("vulkan"), std::string::npos) << needed;
}

}  // namespace
}  // namespace nnvk
