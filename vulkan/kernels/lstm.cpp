// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM. The input's contributions to the gates of all time steps
// are one matrix product; each step is then one dispatch (recurrent product and cell), two with layer normalization, and one more
// with a projection. The two directions of a bidirectional operation touch different tensors and so run side by side.
#include <algorithm>
#include <array>
#include <optional>

#include "core/operations/parameters/lstm_parameters.h"
#include "lstm_kernels.h"
#include "shaders/lstm_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/lstm_choice.h"
#include "vulkan/kernels/sequence_join.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kGateBytes = 16;  // the four gates of a unit
constexpr size_t kGates = 4;
using Gates = std::array<size_t, kGates>;  // input numbers

constexpr OperandType kFloat = OperandType::kTensorFloat32;

// Packed vectors and matrices of one direction.
struct PackedCell {
  TensorId input = kNoTensor;
  TensorId auxiliary = kNoTensor;
  TensorId recurrent = kNoTensor;
  TensorId bias = kNoTensor;
  TensorId peephole = kNoTensor;
  TensorId gain = kNoTensor;
  TensorId projection = kNoTensor;
  TensorId projection_bias = kNoTensor;
};

// What is multiplied: rows of `depth` elements of a tensor with packed weights.
struct Factors {
  TensorId x = kNoTensor;
  OperandType type = kFloat;
  TensorId weights = kNoTensor;
  uint32_t depth = 0;

  // Rows that are whole quads are read four elements at a time.
  bool scalar() const { return depth % 4 != 0; }
  uint32_t loads() const { return scalar() ? depth : depth / 4; }
  // First load of the last dispatch that a sum takes.
  uint32_t last_first() const { return (loads() - 1) / kMostLstmLoads * kMostLstmLoads; }
};

// Cell state and output state between two steps.
struct State {
  TensorId h = kNoTensor;
  TensorId c = kNoTensor;
  OperandType type = kFloat;
};

class DirectionEmitter {
 public:
  DirectionEmitter(const EmitContext& context, DispatchList& dispatches, const LstmParameters& p, const LstmDirection& d)
      : context_(context), dispatches_(dispatches), p_(p), d_(d), type_(context.input(0).type) {}

  Status emit(const Sequence& sequence);

 private:
  Result<TensorId> pack(const char* key, const Gates& sources, uint32_t rows, uint32_t depth, bool by_gates);
  Result<TensorId> pack_gates(const char* key, size_t first, uint32_t depth);
  Status pack_all();
  Dispatch begin(KernelId kernel, std::string what) const;
  Status add_products(Dispatch& dispatch, const Factors& factors, uint64_t rows, uint32_t columns);
  Status contribute(const Factors& factors, uint32_t end, LstmProductParams params, TensorId bias, TensorId target,
                    const std::string& what);
  Status contribute_input(uint32_t first_time, uint32_t count);
  Status step(uint32_t time, uint32_t gates_first, const State& from, const State& to, const Sequence& sequence);
  Status project(const std::string& what, TensorId m, TensorId h, uint32_t sequence_first, const Sequence& sequence);
  TensorId float_scratch(uint32_t columns) { return dispatches_.scratch(uint64_t{p_.batch} * columns * sizeof(float)); }

  const EmitContext& context_;
  DispatchList& dispatches_;
  const LstmParameters& p_;
  const LstmDirection& d_;
  OperandType type_;
  PackedCell packed_;
  TensorId gates_ = kNoTensor;  // contributions to the gates of the steps of one chunk
  TensorId m_ = kNoTensor;      // results before the projection
};

Dispatch DirectionEmitter::begin(KernelId kernel, std::string what) const {
  Dispatch dispatch;
  dispatch.kernel = kernel;
  dispatch.node = context_.node_index;
  dispatch.label = operation_name(context_.node.code) + (d_.backward ? " backward " : " ") + std::move(what);
  return dispatch;
}

// `sources` are inputs of shape [rows, depth] (vectors: depth 1); omitted ones give zeros. By gates: the four lanes of a column
// are the same row of the four sources; else they are four neighbouring rows of one source.
Result<TensorId> DirectionEmitter::pack(const char* key, const Gates& sources, uint32_t rows, uint32_t depth, bool by_gates) {
  LstmPackParams params{};
  params.columns = by_gates ? rows : static_cast<uint>(divide_up(rows, kGates));
  params.depth = depth;
  params.count = params.columns * depth;
  params.rows = rows;
  params.row_step = by_gates ? 1 : kGates;
  params.lane_step = by_gates ? 0 : 1;
  std::optional<size_t> given;
  std::optional<size_t> varying;  // packed once per preparation only if all sources are constants
  for (size_t lane = 0; lane < kGates; ++lane) {
    if (!context_.has(sources[lane])) continue;
    params.lanes |= 1U << lane;
    given = sources[lane];
    if (!context_.plan.is_constant(context_.plan.storage_of(context_.input_id(*given)))) varying = given;
  }
  if (!given) return kNoTensor;

  Dispatch dispatch = begin(kernels::kLstmPack, std::string("packing ") + key);
  dispatch.specialization = {{0, element_type(type_)}};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.count, kLstmGroupSize, context_.traits));
  const std::string name = std::string(d_.backward ? "backward " : "") + key;
  return dispatches_.packed(context_.node_index, name, context_.input_id(varying.value_or(*given)), params.count * kGateBytes,
                            [&](TensorId target) {
                              for (const size_t source : sources) {
                                const size_t present = context_.has(source) ? source : *given;
                                dispatch.bindings.push_back(read_scalars(context_.input_id(present), type_));
                              }
                              dispatch.bindings.push_back(write_words(target));
                              dispatches_.add(dispatch);
                            });
}

// Operands `first` .. `first` + 3, one per gate.
Result<TensorId> DirectionEmitter::pack_gates(const char* key, size_t first, uint32_t depth) {
  return pack(key, {first, first + 1, first + 2, first + 3}, d_.units, depth, true);
}

Status DirectionEmitter::pack_all() {
  const size_t w = d_.cell.weights;
  const auto one_source = [](size_t i) { return Gates{i, i, i, i}; };
  NNVK_ASSIGN(packed_.input, pack_gates("input weights", w, d_.input_size));
  NNVK_ASSIGN(packed_.recurrent, pack_gates("recurrent weights", w + 4, d_.output_size));
  NNVK_ASSIGN(packed_.bias, pack_gates("biases", w + 11, 1));
  if (d_.auxiliary) {
    NNVK_ASSIGN(packed_.auxiliary, pack_gates("auxiliary weights", d_.auxiliary_weights, d_.input_size));
  }
  if (d_.peephole) {
    // The cell gate has none; its lane is not read.
    NNVK_ASSIGN(packed_.peephole, pack("peepholes", {w + 8, w + 9, w + 9, w + 10}, d_.units, 1, true));
  }
  if (d_.layer_norm) {
    NNVK_ASSIGN(packed_.gain, pack_gates("gains", d_.cell.layer_norm, 1));
  }
  if (d_.projection) {
    NNVK_ASSIGN(packed_.projection, pack("projection weights", one_source(w + 15), d_.output_size, d_.units, false));
  }
  if (d_.projection_bias) {
    NNVK_ASSIGN(packed_.projection_bias, pack("projection bias", one_source(w + 16), d_.output_size, 1, false));
  }
  return {};
}

// Bindings 0 and 1, specialization and groups of a kernel with products of `rows` rows and `columns` columns.
Status DirectionEmitter::add_products(Dispatch& dispatch, const Factors& factors, uint64_t rows, uint32_t columns) {
  const LstmProductChoice choice = choose_lstm_product(rows, columns, factors.depth, context_.traits);
  dispatch.bindings = {factors.scalar() ? read_scalars(factors.x, factors.type) : read_quads(factors.x, factors.type),
                       read_quads(factors.weights, kFloat)};
  dispatch.specialization = {{kLstmXElementId, element_type(factors.type)},
                             {kLstmScalarXId, factors.scalar() ? 1U : 0U},
                             {kLstmTileRowsId, choice.tile_rows},
                             {kLstmSlicesId, choice.slices}};
  dispatch.multiply_adds = rows * columns * factors.depth * kGates;
  const uint64_t sums = divide_up(rows, choice.tile_rows) * columns;
  NNVK_ASSIGN(dispatch.groups, flat_groups(sums * choice.slices, kLstmGroupSize, context_.traits));
  return {};
}

// Sums over the loads [0, end) of each row, into `target`. `params` says which rows and where sums start.
Status DirectionEmitter::contribute(const Factors& factors, uint32_t end, LstmProductParams params, TensorId bias,
                                    TensorId target, const std::string& what) {
  params.batch = p_.batch;
  for (params.first = 0; params.first < end; params.first += kMostLstmLoads) {
    params.steps = std::min(kMostLstmLoads, end - params.first);
    Dispatch dispatch = begin(kernels::kLstmProduct, what);
    NNVK_TRY(add_products(dispatch, factors, params.rows, params.columns));
    dispatch.bindings.push_back(read_quads(bias, kFloat));
    dispatch.bindings.push_back(read_write(target));
    dispatch.set_params(params);
    dispatches_.add(std::move(dispatch));
    params.start = kLstmStartResult;
  }
  return {};
}

// What input and auxiliary input add to the gates of the steps [first_time, first_time + count).
Status DirectionEmitter::contribute_input(uint32_t first_time, uint32_t count) {
  const Factors factors{context_.input_id(d_.input), type_, packed_.input, d_.input_size};
  LstmProductParams params{};
  params.columns = d_.units;
  params.rows = count * p_.batch;
  params.x_time = p_.time_stride() * factors.loads();
  params.x_batch = p_.batch_stride() * factors.loads();
  params.x_first = first_time * params.x_time;
  params.start = d_.layer_norm ? kLstmStartZero : kLstmStartBias;
  NNVK_TRY(contribute(factors, factors.loads(), params, packed_.bias, gates_, "input"));
  if (!d_.auxiliary) return {};
  const Factors auxiliary{context_.input_id(*d_.auxiliary), type_, packed_.auxiliary, d_.input_size};
  params.start = kLstmStartResult;
  return contribute(auxiliary, auxiliary.loads(), params, packed_.bias, gates_, "auxiliary input");
}

Status DirectionEmitter::project(const std::string& what, TensorId m, TensorId h, uint32_t sequence_first,
                                 const Sequence& sequence) {
  const Factors factors{m, kFloat, packed_.projection, d_.units};
  LstmProjectionParams params{};
  params.columns = static_cast<uint>(divide_up(d_.output_size, kGates));
  params.rows = p_.batch;
  params.row_loads = factors.loads();
  params.first = factors.last_first();
  params.steps = params.row_loads - params.first;
  params.outputs = d_.output_size;
  params.sequence_first = sequence_first;
  params.sequence_batch = p_.batch_stride() * sequence.width;
  params.start = d_.projection_bias ? kLstmStartBias : kLstmStartZero;
  params.clip = p_.projection_clip;
  TensorId start = packed_.projection_bias;
  if (params.first > 0) {
    LstmProductParams head{};
    head.columns = params.columns;
    head.rows = p_.batch;
    head.x_batch = params.row_loads;
    head.start = params.start;
    const TensorId sums = dispatches_.scratch(uint64_t{p_.batch} * params.columns * kGateBytes);
    NNVK_TRY(contribute(factors, params.first, head, start, sums, what + ", projection"));
    params.start = kLstmStartResult;
    start = sums;
  }
  Dispatch dispatch = begin(kernels::kLstmProjection, what + ", projection");
  NNVK_TRY(add_products(dispatch, factors, params.rows, params.columns));
  dispatch.bindings.push_back(read_quads(start, kFloat));
  dispatch.bindings.push_back(write_words(h));
  dispatch.bindings.push_back(write_words(sequence.tensor));
  dispatch.set_params(params);
  dispatches_.add(std::move(dispatch));
  return {};
}

Status DirectionEmitter::step(uint32_t time, uint32_t gates_first, const State& from, const State& to, const Sequence& sequence) {
  const std::string what = "step " + std::to_string(time);
  const Factors factors{from.h, from.type, packed_.recurrent, d_.output_size};
  LstmStepParams params{};
  params.columns = d_.units;
  params.rows = p_.batch;
  params.row_loads = factors.loads();
  params.first = factors.last_first();
  params.steps = params.row_loads - params.first;
  params.gates_first = gates_first;
  params.to_sequence = d_.projection ? 0 : 1;
  params.sequence_first = time * p_.time_stride() * sequence.width;
  params.sequence_batch = p_.batch_stride() * sequence.width;
  params.cell_clip = p_.cell_clip;
  const TensorId result = d_.projection ? m_ : to.h;
  // A projection writes the sequence; the cell then has nothing for it, and no tensor of its own to stand in.
  const TensorId results = d_.projection ? m_ : sequence.tensor;
  const auto cell = [&](uint32_t first) {
    return std::vector<SpecializationConstant>{{first, element_type(from.type)},
                                               {first + 1, static_cast<uint32_t>(p_.activation)},
                                               {first + 2, d_.coupled ? 1U : 0U},
                                               {first + 3, d_.peephole ? 1U : 0U}};
  };

  // Products that the cell's own dispatch does not make: all of them before a normalization, else the head of very long sums.
  LstmProductParams product{};
  product.columns = d_.units;
  product.rows = p_.batch;
  product.x_batch = params.row_loads;
  product.out_first = gates_first;
  product.start = kLstmStartResult;
  NNVK_TRY(contribute(factors, d_.layer_norm ? params.row_loads : params.first, product, packed_.bias, gates_,
                      what + ", recurrent product"));
  Dispatch dispatch;
  if (d_.layer_norm) {
    dispatch = begin(kernels::kLstmNormalize, what);
    NNVK_ASSIGN(dispatch.groups, flat_groups(uint64_t{p_.batch} * kLstmGroupSize, kLstmGroupSize, context_.traits));
    dispatch.specialization = cell(kLstmNormalizeCellId);
    dispatch.bindings = {read_quads(gates_, kFloat),       read_quads(packed_.peephole, kFloat), read_quads(packed_.gain, kFloat),
                         read_quads(packed_.bias, kFloat), read_scalars(from.c, from.type),      read_write(to.c)};
  } else {
    dispatch = begin(kernels::kLstmStep, what);
    NNVK_TRY(add_products(dispatch, factors, p_.batch, d_.units));
    const auto constants = cell(kLstmStepCellId);
    dispatch.specialization.insert(dispatch.specialization.end(), constants.begin(), constants.end());
    for (const TensorBinding& binding :
         {read_quads(gates_, kFloat), read_quads(packed_.peephole, kFloat), read_scalars(from.c, from.type), write_words(to.c)}) {
      dispatch.bindings.push_back(binding);
    }
  }
  dispatch.bindings.push_back(write_words(result));
  dispatch.bindings.push_back(write_words(results));
  dispatch.set_params(params);
  dispatches_.add(std::move(dispatch));
  if (!d_.projection) return {};
  return project(what, m_, to.h, params.sequence_first, sequence);
}

Status DirectionEmitter::emit(const Sequence& sequence) {
  NNVK_TRY(pack_all());
  const uint32_t chunk = lstm_chunk_steps(p_.steps, p_.batch, d_.units, context_.traits);
  gates_ = dispatches_.scratch(uint64_t{chunk} * p_.batch * d_.units * kGateBytes);
  if (d_.projection) m_ = float_scratch(d_.units);

  // Two states in turn; float32 results need no copy behind the last step.
  State from{context_.input_id(d_.cell.state), context_.input_id(d_.cell.state + 1), type_};
  const std::array<State, 2> between = {State{float_scratch(d_.output_size), float_scratch(d_.units)},
                                        State{float_scratch(d_.output_size), float_scratch(d_.units)}};
  State last = between[(p_.steps - 1) % 2];
  const bool direct = d_.output_state.has_value() && type_ == kFloat;
  if (direct) last = {context_.output_id(*d_.output_state), context_.output_id(*d_.cell_state)};

  for (uint32_t s = 0; s < p_.steps; ++s) {
    const uint32_t time = d_.backward ? p_.steps - 1 - s : s;
    // Chunks follow the direction; their gates lie in the order of time.
    const uint32_t in_chunk = s % chunk;
    const uint32_t count = std::min(chunk, p_.steps - (s - in_chunk));
    if (in_chunk == 0) NNVK_TRY(contribute_input(d_.backward ? time - (count - 1) : time, count));
    const uint32_t row = (d_.backward ? count - 1 - in_chunk : in_chunk) * p_.batch;
    const State to = s + 1 == p_.steps ? last : between[s % 2];
    NNVK_TRY(step(time, row, from, to, sequence));
    from = to;
  }
  if (!d_.output_state || direct) return {};
  NNVK_TRY(emit_join(context_, *d_.output_state, {from.h, d_.output_size}, {}, dispatches_));
  return emit_join(context_, *d_.cell_state, {from.c, d_.units}, {}, dispatches_);
}

Status emit_lstm(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_TRY(check_lstm_fits(view.view(), context.traits));  // again: shapes may have been unknown at support_lstm()
  NNVK_ASSIGN(const LstmParameters p, lstm_parameters(view.view()));
  std::vector<DirectionOutput> outputs;
  for (const LstmDirection& d : p.directions) outputs.push_back({d.output, d.output_size});
  const auto emit = [&](size_t i, const Sequence& sequence) {
    return DirectionEmitter(context, dispatches, p, p.directions[i]).emit(sequence);
  };
  NNVK_TRY(emit_directions(context, outputs, uint64_t{p.steps} * p.batch, emit, dispatches));
  if (p.scratch) return emit_join(context, *p.scratch, {}, {}, dispatches);  // zeros: nobody reads what was there before
  return {};
}

Status support_lstm(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  const NodeView view = declared_view(plan, node);
  return check_lstm_fits(view.view(), traits);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kLstm, support_lstm, emit_lstm},
    {OperationCode::kUnidirectionalSequenceLstm, support_lstm, emit_lstm},
    {OperationCode::kBidirectionalSequenceLstm, support_lstm, emit_lstm},
};

}  // namespace

std::span<const KernelEmitter> lstm_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
