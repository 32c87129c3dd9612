#include "clients/onnxruntime_provider/runtime_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

namespace nnvk::clients::onnxruntime {
namespace {

constexpr const char* kMaking = "making a session to compare with";
constexpr size_t kShortestExternal = 128;  // bytes; the runtime copies shorter constants

Status checked(OrtStatus* status) { return check(status, kMaking); }

using TypeHandle = Handle<OrtTypeInfo, &OrtApi::ReleaseTypeInfo>;
using MemoryInfoHandle = Handle<OrtMemoryInfo, &OrtApi::ReleaseMemoryInfo>;
using ValueHandle = Handle<OrtValue, &OrtApi::ReleaseValue>;
using ValueInfoHandle = Handle<OrtValueInfo, &OrtApi::ReleaseValueInfo>;
using ModelHandle = Handle<OrtModel, &OrtApi::ReleaseModel>;
using GraphHandle = Handle<OrtGraph, &OrtApi::ReleaseGraph>;
using ArenaSettingsHandle = Handle<OrtArenaCfg, &OrtApi::ReleaseArenaCfg>;
using SessionOptionsHandle = Handle<OrtSessionOptions, &OrtApi::ReleaseSessionOptions>;

ONNXTensorElementDataType element_type(const Value& value) { return static_cast<ONNXTensorElementDataType>(value.type); }

// Makes a tensor over memory of the caller.
Result<ValueHandle> tensor_over(const Value& value, const void* data, size_t size) {
  OrtMemoryInfo* memory = nullptr;
  TOOLS_TRY(checked(api().CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory)));
  const MemoryInfoHandle owner(memory);
  OrtValue* made = nullptr;
  TOOLS_TRY(checked(api().CreateTensorWithDataAsOrtValue(memory, const_cast<void*>(data), size, value.dimensions.data(),
                                                         value.dimensions.size(), element_type(value), &made)));
  return ValueHandle(made);
}

Result<ValueHandle> new_tensor(const Value& value) {
  OrtAllocator* allocator = nullptr;
  TOOLS_TRY(checked(api().GetAllocatorWithDefaultOptions(&allocator)));
  OrtValue* made = nullptr;
  TOOLS_TRY(checked(
      api().CreateTensorAsOrtValue(allocator, value.dimensions.data(), value.dimensions.size(), element_type(value), &made)));
  return ValueHandle(made);
}

Result<ValueHandle> copied_tensor(const Value& value) {
  TOOLS_ASSIGN(ValueHandle tensor, new_tensor(value));
  void* bytes = nullptr;
  TOOLS_TRY(checked(api().GetTensorMutableData(tensor.get(), &bytes)));
  std::memcpy(bytes, value.data.data(), value.data.size());
  return tensor;
}

Result<ValueHandle> tensor_of_zeros(const Value& value) {
  TOOLS_ASSIGN(ValueHandle tensor, new_tensor(value));
  void* bytes = nullptr;
  size_t size = 0;
  TOOLS_TRY(checked(api().GetTensorMutableData(tensor.get(), &bytes)));
  TOOLS_TRY(checked(api().GetTensorSizeInBytes(tensor.get(), &size)));
  std::memset(bytes, 0, size);
  return tensor;
}

class GraphMaker {
 public:
  GraphMaker(const OrtModelEditorApi& editor, const Graph& graph) : editor_(editor), graph_(graph) {}

  Result<ModelHandle> make() {
    OrtGraph* made = nullptr;
    TOOLS_TRY(checked(editor_.CreateGraph(&made)));
    into_.reset(made);
    TOOLS_TRY(add_ports());
    for (const Value& value : graph_.values) {
      if (value.constant) TOOLS_TRY(add_constant(value));
    }
    for (const Node& node : graph_.nodes) TOOLS_TRY(add_node(node));
    std::vector<const char*> domains;
    std::vector<int> versions;
    for (const auto& [domain, version] : versions_) {
      domains.push_back(domain.c_str());
      versions.push_back(version);
    }
    OrtModel* model = nullptr;
    TOOLS_TRY(checked(editor_.CreateModel(domains.data(), versions.data(), domains.size(), &model)));
    ModelHandle owner(model);
    TOOLS_TRY(checked(editor_.AddGraphToModel(model, into_.release())));  // the model owns it now
    return owner;
  }

 private:
  // Describes the inputs or outputs; the graph of the runtime takes them over.
  Result<std::vector<OrtValueInfo*>> ports(const std::vector<int>& values) const {
    std::vector<ValueInfoHandle> made;
    for (const int v : values) {
      const Value& value = graph_.values[static_cast<size_t>(v)];
      OrtTensorTypeAndShapeInfo* shape = nullptr;
      TOOLS_TRY(checked(api().CreateTensorTypeAndShapeInfo(&shape)));
      const ShapeHandle shape_owner(shape);
      TOOLS_TRY(checked(api().SetTensorElementType(shape, element_type(value))));
      TOOLS_TRY(checked(api().SetDimensions(shape, value.dimensions.data(), value.dimensions.size())));
      OrtTypeInfo* type = nullptr;
      TOOLS_TRY(checked(editor_.CreateTensorTypeInfo(shape, &type)));
      const TypeHandle type_owner(type);
      OrtValueInfo* info = nullptr;
      TOOLS_TRY(checked(editor_.CreateValueInfo(value.name.c_str(), type, &info)));
      made.emplace_back(info);
    }
    std::vector<OrtValueInfo*> infos;
    for (ValueInfoHandle& info : made) infos.push_back(info.release());
    return infos;
  }
  Status add_ports() {
    TOOLS_ASSIGN(auto inputs, ports(graph_.inputs));
    TOOLS_TRY(checked(editor_.SetGraphInputs(into_.get(), inputs.data(), inputs.size())));
    TOOLS_ASSIGN(auto outputs, ports(graph_.outputs));
    return checked(editor_.SetGraphOutputs(into_.get(), outputs.data(), outputs.size()));
  }
  Status add_constant(const Value& value) {
    const bool is_external = value.data.size() >= kShortestExternal;
    TOOLS_ASSIGN(ValueHandle tensor,
                 is_external ? tensor_over(value, value.data.data(), value.data.size()) : copied_tensor(value));
    return checked(editor_.AddInitializerToGraph(into_.get(), value.name.c_str(), tensor.release(), is_external));
  }
  Status add_node(const Node& node) {
    versions_[node.domain] = node.opset;
    std::vector<AttributeHandle> owned;
    for (const importers::onnx::Attribute& attribute : node.attributes) {
      TOOLS_ASSIGN(AttributeHandle made, attribute_of(node, attribute));
      owned.push_back(std::move(made));
    }
    std::vector<OrtOpAttr*> attributes;
    for (const AttributeHandle& attribute : owned) attributes.push_back(attribute.get());
    const auto inputs = names_of(node.inputs);
    const auto outputs = names_of(node.outputs);
    OrtNode* made = nullptr;
    TOOLS_TRY(
        checked(editor_.CreateNode(node.op_type.c_str(), node.domain.c_str(), node.name.c_str(), inputs.data(), inputs.size(),
                                   outputs.data(), outputs.size(), attributes.data(), attributes.size(), &made)));
    for (AttributeHandle& attribute : owned) (void)attribute.release();  // the node owns them now
    return checked(editor_.AddNodeToGraph(into_.get(), made));
  }
  std::vector<const char*> names_of(const std::vector<int>& values) const {
    std::vector<const char*> names;
    for (const int v : values) names.push_back(v < 0 ? "" : graph_.values[static_cast<size_t>(v)].name.c_str());
    return names;
  }

  static Result<AttributeHandle> attribute_of(const Node& node, const importers::onnx::Attribute& attribute) {
    const auto make = [&](const void* data, size_t count, OrtOpAttrType type) -> Result<AttributeHandle> {
      OrtOpAttr* made = nullptr;
      TOOLS_TRY(checked(api().CreateOpAttr(attribute.name.c_str(), data, static_cast<int>(count), type, &made)));
      return AttributeHandle(made);
    };
    if (const auto* number = std::get_if<int64_t>(&attribute.value)) return make(number, 1, ORT_OP_ATTR_INT);
    if (const auto* number = std::get_if<float>(&attribute.value)) return make(number, 1, ORT_OP_ATTR_FLOAT);
    if (const auto* text = std::get_if<std::string>(&attribute.value)) {
      return make(text->data(), text->size(), ORT_OP_ATTR_STRING);
    }
    if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute.value)) {
      return make(list->data(), list->size(), ORT_OP_ATTR_INTS);
    }
    if (const auto* list = std::get_if<std::vector<float>>(&attribute.value)) {
      return make(list->data(), list->size(), ORT_OP_ATTR_FLOATS);
    }
    return fail(node.where + ": the runtime's model editor makes no attribute like '" + attribute.name + "'");
  }

  const OrtModelEditorApi& editor_;
  const Graph& graph_;
  GraphHandle into_;
  std::map<std::string, int> versions_;  // per domain
};

// Registers an arena that takes exactly the memory that somebody asks for; the sessions' own arenas double what they take.
// Without any arena, the C library would cut the aligned blocks that it gets back and fill them with others, and each run would
// need new ones. Returns the name of the arena.
Result<MemoryInfoHandle> register_arena(OrtEnv* environment) {
  const std::array<const char*, 2> names{"arena_extend_strategy", "initial_chunk_size_bytes"};
  constexpr std::array<size_t, 2> kValues{1, 256};  // as requested; the smallest block
  OrtArenaCfg* settings = nullptr;
  TOOLS_TRY(checked(api().CreateArenaCfgV2(names.data(), kValues.data(), names.size(), &settings)));
  const ArenaSettingsHandle settings_owner(settings);
  OrtMemoryInfo* made = nullptr;
  TOOLS_TRY(checked(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &made)));
  MemoryInfoHandle arena(made);
  TOOLS_TRY(checked(api().CreateAndRegisterAllocator(environment, made, settings)));
  return arena;
}

Result<SessionOptionsHandle> session_options(int threads, bool has_arena) {
  OrtSessionOptions* made = nullptr;
  TOOLS_TRY(checked(api().CreateSessionOptions(&made)));
  SessionOptionsHandle options(made);
  TOOLS_TRY(checked(api().SetIntraOpNumThreads(made, threads)));
  if (has_arena) {
    TOOLS_TRY(checked(api().AddSessionConfigEntry(made, "session.use_env_allocators", "1")));
    TOOLS_TRY(checked(api().AddSessionConfigEntry(made, "session.use_device_allocator_for_initializers", "1")));
  } else {
    TOOLS_TRY(checked(api().DisableCpuMemArena(made)));
  }
  // With a pattern, the runtime keeps one block for all tensors of a run, however short they live.
  TOOLS_TRY(checked(api().DisableMemPattern(made)));
  TOOLS_TRY(checked(api().SetSessionLogSeverityLevel(made, ORT_LOGGING_LEVEL_ERROR)));
  return options;
}

}  // namespace

Result<std::unique_ptr<RuntimeSession>> RuntimeSession::make(const Graph& graph, int threads) {
  std::unique_ptr<RuntimeSession> session(new RuntimeSession);
  TOOLS_TRY(session->start(graph, threads));
  return session;
}

Status RuntimeSession::start(const Graph& graph, int threads) {
  const OrtModelEditorApi* const editor = api().GetModelEditorApi();
  if (editor == nullptr) return fail("this build of ONNX Runtime makes no models");
  TOOLS_TRY(checked(api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "nnvk", &environment_)));
  if (auto arena = register_arena(environment_)) arena_ = arena->release();  // fails if the application has registered its own
  {
    TOOLS_ASSIGN(const ModelHandle model, GraphMaker(*editor, graph).make());
    TOOLS_ASSIGN(const SessionOptionsHandle options, session_options(threads, arena_ != nullptr));
    TOOLS_TRY(checked(editor->CreateSessionFromModel(environment_, model.get(), options.get(), &session_)));
  }
  for (const int input : graph.inputs) {
    const Value& value = graph.values[static_cast<size_t>(input)];
    names_.push_back(value.name);
    TOOLS_ASSIGN(ValueHandle tensor, tensor_of_zeros(value));
    inputs_.push_back(tensor.release());
  }
  for (const int output : graph.outputs) names_.push_back(graph.values[static_cast<size_t>(output)].name);
  return {};
}

Status RuntimeSession::run() const {
  std::vector<const char*> names;
  for (const std::string& name : names_) names.push_back(name.c_str());
  std::vector<OrtValue*> outputs(names.size() - inputs_.size(), nullptr);
  Status ran = check(api().Run(session_, nullptr, names.data(), inputs_.data(), inputs_.size(), names.data() + inputs_.size(),
                               outputs.size(), outputs.data()),
                     "running a session to compare with");
  for (OrtValue* const output : outputs) api().ReleaseValue(output);
  return ran;
}

RuntimeSession::~RuntimeSession() {
  for (OrtValue* const input : inputs_) api().ReleaseValue(input);
  if (session_ != nullptr) api().ReleaseSession(session_);
  if (arena_ != nullptr) {
    api().ReleaseStatus(api().UnregisterAllocator(environment_, arena_));
    api().ReleaseMemoryInfo(arena_);
  }
  if (environment_ != nullptr) api().ReleaseEnv(environment_);
}

}  // namespace nnvk::clients::onnxruntime
