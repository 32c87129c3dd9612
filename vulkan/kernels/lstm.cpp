// One matrix product computes the input's contributions to the gates of all time steps. Each step then takes one dispatch
// (recurrent product and cell), another for layer normalization, and another for a projection. A small cell without these two
// runs all steps in one dispatch (lstm_choice.h). Two directions use different tensors and run in parallel.
#include <algorithm>
#include <array>
#include <optional>

#include "core/operations/parameters/lstm_parameters.h"
#include "lstm_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/lstm_choice.h"
#include "vulkan/kernels/sequence_join.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kGateBytes = 16;                // four floats: the gates of a unit
using Gates = std::array<size_t, kLstmGateCount>;  // input numbers

constexpr OperandType kFloat = OperandType::kTensorFloat32;

// The packed vectors and matrices of one direction.
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

// The factors of a product: rows of `depth` elements of a tensor, and packed weights.
struct Factors {
  TensorId x = kNoTensor;
  OperandType type = kFloat;
  TensorId weights = kNoTensor;
  uint32_t depth = 0;

  // Returns whether kernels read the rows element by element; they read rows of whole quads four elements at a time.
  bool scalar() const { return depth % 4 != 0; }
  uint32_t loads() const { return scalar() ? depth : depth / 4; }
  TensorBinding rows() const { return read_elements(x, type, !scalar()); }
  TensorBinding packed() const { return read_quads(weights, kFloat); }
  // Returns the first load of a sum's last dispatch.
  uint32_t last_first() const { return (loads() - 1) / kMostLstmLoads * kMostLstmLoads; }
};

// `target` holds the sums. `start` holds the values with which sums begin, if they begin in this dispatch.
struct Sums {
  TensorId start = kNoTensor;
  TensorId target = kNoTensor;
};

// The cell state and the output state between two steps.
struct State {
  TensorId h = kNoTensor;
  TensorId c = kNoTensor;
  OperandType type = kFloat;
};

// Time steps in the direction's order, and the row of the gates for the first of them.
struct StepSpan {
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t gates_first = 0;
};

class DirectionEmitter {
 public:
  DirectionEmitter(const EmitContext& context, const LstmParameters& p, const LstmDirection& d)
      : context_(context), p_(p), d_(d), type_(context.input(kSequenceInput).type) {}

  Status emit(const Sequence& sequence) {
    NNVK_TRY(pack_all());
    std::optional<LstmSequenceChoice> choice;
    if (!d_.projection && !d_.layer_norm) choice = choose_lstm_sequence(p_.steps, p_.batch, d_.units, context_.traits);
    const uint32_t most_steps = choice ? choice->most_steps : 1;
    const uint32_t chunk = lstm_chunk_steps(p_.steps, p_.batch, d_.units, context_.traits);
    gates_ = context_.dispatches.scratch(uint64_t{chunk} * p_.batch * d_.units * kGateBytes);
    if (d_.projection) m_ = float_scratch(d_.units);

    // Steps alternate between two scratch states. If results are float32, the last step writes them directly to the outputs.
    State from{context_.input_id(d_.cell.output_state()), context_.input_id(d_.cell.cell_state()), type_};
    const std::array<State, 2> between = {State{float_scratch(d_.output_size), float_scratch(d_.units)},
                                          State{float_scratch(d_.output_size), float_scratch(d_.units)}};
    const bool direct = d_.output_state.has_value() && type_ == kFloat;
    State results;
    if (direct) results = {context_.output_id(*d_.output_state), context_.output_id(*d_.cell_state)};

    // Chunks are in the direction's order, but the gates within a chunk are in order of time.
    uint32_t turn = 0;
    for (uint32_t begin = 0; begin < p_.steps; begin += chunk) {
      const uint32_t in_chunk = std::min(chunk, p_.steps - begin);
      const uint32_t first_time = d_.backward ? p_.steps - begin - in_chunk : begin;
      NNVK_TRY(contribute_input(first_time, in_chunk));
      for (uint32_t done = 0; done < in_chunk; done += most_steps) {
        const uint32_t count = std::min(most_steps, in_chunk - done);
        const uint32_t row = d_.backward ? in_chunk - 1 - done : done;
        const State to = direct && begin + done + count == p_.steps ? results : between[turn++ % 2];
        const StepSpan span{first_time + row, count, row * p_.batch};
        NNVK_TRY(choice ? steps(span, from, to, sequence, *choice) : step(span, from, to, sequence));
        from = to;
      }
    }
    if (!d_.output_state || direct) return {};
    NNVK_TRY(emit_join(context_, *d_.output_state, {from.h, d_.output_size}, {}));
    return emit_join(context_, *d_.cell_state, {from.c, d_.units}, {});
  }

 private:
  // Packs `sources`, which are inputs of shape [rows, depth] (vectors: depth 1); omitted ones give zeros. With `by_gates`, the
  // four lanes of a column are the same row of the four sources; else they are four neighbouring rows of one source.
  Result<TensorId> pack(const char* key, const Gates& sources, uint32_t rows, uint32_t depth, bool by_gates) {
    LstmPackParams params{};
    const uint64_t columns = by_gates ? rows : divide_up(rows, kLstmGateCount);
    params.depth = depth;
    params.count = static_cast<uint>(divide_up(columns, kLstmBlock) * kLstmBlock * depth);
    params.rows = rows;
    params.row_step = by_gates ? 1 : kLstmGateCount;
    params.lane_step = by_gates ? 0 : 1;
    std::optional<size_t> given;
    std::optional<size_t> varying;  // a source that is no constant, if any: packing then runs in every execution
    for (size_t lane = 0; lane < kLstmGateCount; ++lane) {
      if (!context_.has(sources[lane])) continue;
      params.lanes |= 1U << lane;
      given = sources[lane];
      if (!context_.plan.is_constant(context_.plan.storage_of(context_.input_id(*given)))) varying = given;
    }
    if (!given) return kNoTensor;

    const auto source = [&](size_t lane) {
      const size_t input = context_.has(sources[lane]) ? sources[lane] : *given;
      return read_scalars(context_.input_id(input), type_);
    };
    const std::string name = std::string(d_.backward ? "backward " : "") + key;
    return context_.dispatches.packed(
        name, context_.input_id(varying.value_or(*given)), uint64_t{params.count} * kGateBytes, [&](TensorId target) {
          auto dispatch = begin(
              kernels::kLstmPack, std::string("packing ") + key, {.type = element_type(type_)},
              {.in_a = source(0), .in_b = source(1), .in_c = source(2), .in_d = source(3), .out_packed = write_words(target)},
              params);
          return add_flat(context_, std::move(dispatch), params.count);
        });
  }

  // Packs the operands `first` .. `first` + 3, one per gate.
  Result<TensorId> pack_gates(const char* key, size_t first, uint32_t depth) {
    return pack(key, {first, first + 1, first + 2, first + 3}, d_.units, depth, true);
  }

  Status pack_all() {
    const LstmCell& cell = d_.cell;
    const auto one_source = [](size_t i) { return Gates{i, i, i, i}; };
    NNVK_ASSIGN(packed_.input, pack_gates("input weights", cell.input_weights(kLstmInputGate), d_.input_size));
    NNVK_ASSIGN(packed_.recurrent, pack_gates("recurrent weights", cell.recurrent_weights(kLstmInputGate), d_.output_size));
    NNVK_ASSIGN(packed_.bias, pack_gates("biases", cell.bias(kLstmInputGate), 1));
    if (d_.auxiliary) {
      NNVK_ASSIGN(packed_.auxiliary, pack_gates("auxiliary weights", d_.auxiliary_weights, d_.input_size));
    }
    if (d_.peephole) {
      const size_t forget = cell.peephole(kLstmForgetGate);
      // The cell gate has no peephole; the kernel does not read its lane.
      const Gates sources = {cell.peephole(kLstmInputGate), forget, forget, cell.peephole(kLstmOutputGate)};
      NNVK_ASSIGN(packed_.peephole, pack("peepholes", sources, d_.units, 1, true));
    }
    if (d_.layer_norm) {
      NNVK_ASSIGN(packed_.gain, pack_gates("gains", cell.layer_norm(kLstmInputGate), 1));
    }
    if (d_.projection) {
      NNVK_ASSIGN(packed_.projection,
                  pack("projection weights", one_source(cell.projection_weights()), d_.output_size, d_.units, false));
    }
    if (d_.projection_bias) {
      NNVK_ASSIGN(packed_.projection_bias, pack("projection bias", one_source(cell.projection_bias()), d_.output_size, 1, false));
    }
    return {};
  }

  template <class Shape>
  DispatchOf<typename Shape::Params> begin(TypedKernel<Shape> kernel, const std::string& what,
                                           const typename Shape::Specialization& specialization,
                                           const typename Shape::Bindings& bindings, const typename Shape::Params& params) const {
    auto dispatch = make_dispatch(context_, kernel, specialization, bindings, params);
    dispatch.label = operation_name(context_.node.code) + (d_.backward ? " backward " : " ") + what;
    return dispatch;
  }

  // The label of a dispatch of products, and its form.
  struct Products {
    std::string what;
    LstmProductChoice choice;
  };

  // Adds a dispatch that only computes products: params.rows rows and params.columns columns.
  template <class Shape>
  Status add_products(TypedKernel<Shape> kernel, const Products& products, const Factors& factors,
                      const typename Shape::Bindings& bindings, const typename Shape::Params& params) {
    auto dispatch = begin(kernel, products.what,
                          {.x_type = element_type(factors.type),
                           .scalar_x = factors.scalar(),
                           .tile_rows = products.choice.tile_rows,
                           .slices = products.choice.slices},
                          bindings, params);
    dispatch.multiply_adds = uint64_t{params.rows} * params.columns * factors.depth * kLstmGateCount;
    return add_flat(context_, std::move(dispatch), products.choice.invocations(params.rows, params.columns));
  }

  // Adds products of the loads [0, end) of each row. The caller has set the rows and the start of the sums in `params`.
  Status contribute(const Factors& factors, uint32_t end, LstmProductParams params, const Sums& sums, const std::string& what) {
    params.batch = p_.batch;
    params.row_loads = factors.loads();
    for (params.first = 0; params.first < end; params.first += kMostLstmLoads) {
      params.steps = std::min(kMostLstmLoads, end - params.first);
      const LstmProductChoice choice = choose_lstm_contribution(params.rows, params.columns, factors.depth, context_.traits);
      NNVK_TRY(add_products(choice.shared_rows ? kernels::kLstmProductShared : kernels::kLstmProduct, {what, choice}, factors,
                            {.in_x = factors.rows(),
                             .in_weights = factors.packed(),
                             .in_bias = read_quads(sums.start, kFloat),
                             .out_gates = read_write(sums.target)},
                            params));
      params.start = kLstmStartResult;
    }
    return {};
  }

  // Adds the contributions of input and auxiliary input to the gates of the steps [first_time, first_time + count).
  Status contribute_input(uint32_t first_time, uint32_t count) {
    const Factors factors{context_.input_id(d_.input), type_, packed_.input, d_.input_size};
    LstmProductParams params{};
    params.columns = d_.units;
    params.rows = count * p_.batch;
    params.x_time = p_.time_stride() * factors.loads();
    params.x_batch = p_.batch_stride() * factors.loads();
    params.x_first = first_time * params.x_time;
    params.start = d_.layer_norm ? kLstmStartZero : kLstmStartBias;
    NNVK_TRY(contribute(factors, factors.loads(), params, {packed_.bias, gates_}, "input"));
    if (!d_.auxiliary) return {};
    const Factors auxiliary{context_.input_id(*d_.auxiliary), type_, packed_.auxiliary, d_.input_size};
    params.start = kLstmStartResult;
    return contribute(auxiliary, auxiliary.loads(), params, {packed_.bias, gates_}, "auxiliary input");
  }

  Status steps(const StepSpan& span, const State& from, const State& to, const Sequence& sequence,
               const LstmSequenceChoice& choice) {
    const uint32_t direction = d_.backward ? UINT32_MAX : 1;  // -1 modulo 2^32
    LstmSequenceParams params{};
    params.columns = d_.units;
    params.rows = p_.batch;
    params.steps = span.count;
    params.gates_first = span.gates_first;
    params.gates_step = direction * p_.batch;
    params.sequence_first = span.first * p_.time_stride() * sequence.width;
    params.sequence_step = direction * p_.time_stride() * sequence.width;
    params.sequence_batch = p_.batch_stride() * sequence.width;
    params.cell_clip = p_.cell_clip;
    const uint32_t last = d_.backward ? span.first - (span.count - 1) : span.first + (span.count - 1);
    const std::string what =
        span.count == 1 ? "step " + std::to_string(last) : "steps " + std::to_string(span.first) + " to " + std::to_string(last);
    auto dispatch = begin(choice.one_subgroup ? kernels::kLstmSequenceSubgroup : kernels::kLstmSequence, what,
                          {.tile_columns = choice.tile_columns,
                           .slices = choice.slices,
                           .state_type = element_type(from.type),
                           .activation = static_cast<uint32_t>(p_.activation),
                           .coupled = d_.coupled,
                           .peephole = d_.peephole},
                          {.in_weights = read_quads(packed_.recurrent, kFloat),
                           .in_gates = read_quads(gates_, kFloat),
                           .in_peephole = read_quads(packed_.peephole, kFloat),
                           .in_h = read_scalars(from.h, from.type),
                           .in_c = read_scalars(from.c, from.type),
                           .out_c = write_words(to.c),
                           .out_h = write_words(to.h),
                           .out_sequence = write_words(sequence.tensor)},
                          params);
    dispatch.multiply_adds = uint64_t{span.count} * p_.batch * d_.units * d_.units * kLstmGateCount;
    dispatch.choice = reason_of(choice, d_.units);
    return add_flat(context_, std::move(dispatch),
                    uint64_t{p_.batch} * (choice.one_subgroup ? kLstmSequenceLanes : kLstmSequenceGroup));
  }

  Status step(const StepSpan& span, const State& from, const State& to, const Sequence& sequence) {
    const std::string what = "step " + std::to_string(span.first);
    const Factors factors{from.h, from.type, packed_.recurrent, d_.output_size};
    LstmStepParams params{};
    params.columns = d_.units;
    params.rows = p_.batch;
    params.row_loads = factors.loads();
    params.first = factors.last_first();
    params.steps = params.row_loads - params.first;
    params.gates_first = span.gates_first;
    params.to_sequence = d_.projection ? 0 : 1;
    params.sequence_first = span.first * p_.time_stride() * sequence.width;
    params.sequence_batch = p_.batch_stride() * sequence.width;
    params.cell_clip = p_.cell_clip;
    const auto activation = static_cast<uint32_t>(p_.activation);
    const TensorBinding in_gates = read_quads(gates_, kFloat);
    const TensorBinding in_peephole = read_quads(packed_.peephole, kFloat);
    const TensorBinding in_c = read_scalars(from.c, from.type);
    const TensorBinding out_h = write_words(d_.projection ? m_ : to.h);
    // The projection, if there is one, writes the sequence. The cell's kernel then still needs a tensor in this binding: m_.
    const TensorBinding out_sequence = write_words(d_.projection ? m_ : sequence.tensor);

    // Adds products outside the cell's own dispatch: all products before a normalization, else the first part of very long sums.
    LstmProductParams product{};
    product.columns = d_.units;
    product.rows = p_.batch;
    product.x_batch = params.row_loads;
    product.out_first = span.gates_first;
    product.start = kLstmStartResult;
    NNVK_TRY(contribute(factors, d_.layer_norm ? params.row_loads : params.first, product, {packed_.bias, gates_},
                        what + ", recurrent product"));
    if (d_.layer_norm) {
      auto dispatch =
          begin(kernels::kLstmNormalize, what,
                {.state_type = element_type(from.type), .activation = activation, .coupled = d_.coupled, .peephole = d_.peephole},
                {.in_gates = in_gates,
                 .in_peephole = in_peephole,
                 .in_gain = read_quads(packed_.gain, kFloat),
                 .in_bias = read_quads(packed_.bias, kFloat),
                 .in_c = in_c,
                 .out_c = read_write(to.c),
                 .out_h = out_h,
                 .out_sequence = out_sequence},
                params);
      NNVK_TRY(add_flat(context_, std::move(dispatch), uint64_t{p_.batch} * kLstmGroupSize));
    } else {
      const LstmProductChoice choice = choose_lstm_product(p_.batch, d_.units, factors.depth, context_.traits);
      auto dispatch = begin(kernels::kLstmStep, what,
                            {.x_type = element_type(factors.type),
                             .scalar_x = factors.scalar(),
                             .tile_rows = choice.tile_rows,
                             .slices = choice.slices,
                             .state_type = element_type(from.type),
                             .activation = activation,
                             .coupled = d_.coupled,
                             .peephole = d_.peephole},
                            {.in_x = factors.rows(),
                             .in_weights = factors.packed(),
                             .in_gates = in_gates,
                             .in_peephole = in_peephole,
                             .in_c = in_c,
                             .out_c = write_words(to.c),
                             .out_h = out_h,
                             .out_sequence = out_sequence},
                            params);
      dispatch.multiply_adds = uint64_t{p_.batch} * d_.units * factors.depth * kLstmGateCount;
      NNVK_TRY(add_flat(context_, std::move(dispatch), choice.invocations(p_.batch, d_.units)));
    }
    if (!d_.projection) return {};
    return project(what, m_, to.h, params.sequence_first, sequence);
  }

  Status project(const std::string& what, TensorId m, TensorId h, uint32_t sequence_first, const Sequence& sequence) {
    const Factors factors{m, kFloat, packed_.projection, d_.units};
    LstmProjectionParams params{};
    params.columns = static_cast<uint>(divide_up(d_.output_size, kLstmGateCount));
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
      const TensorId sums = context_.dispatches.scratch(uint64_t{p_.batch} * params.columns * kGateBytes);
      NNVK_TRY(contribute(factors, params.first, head, {start, sums}, what + ", projection"));
      params.start = kLstmStartResult;
      start = sums;
    }
    const LstmProductChoice choice = choose_lstm_product(params.rows, params.columns, factors.depth, context_.traits);
    return add_products(kernels::kLstmProjection, {what + ", projection", choice}, factors,
                        {.in_x = factors.rows(),
                         .in_weights = factors.packed(),
                         .in_start = read_quads(start, kFloat),
                         .out_h = write_words(h),
                         .out_sequence = write_words(sequence.tensor)},
                        params);
  }

  TensorId float_scratch(uint32_t columns) { return context_.dispatches.scratch(uint64_t{p_.batch} * columns * sizeof(float)); }

  const EmitContext& context_;
  const LstmParameters& p_;
  const LstmDirection& d_;
  OperandType type_;
  PackedCell packed_;
  TensorId gates_ = kNoTensor;  // contributions to the gates of the steps of one chunk
  TensorId m_ = kNoTensor;      // results before the projection
};

Status emit_lstm(const EmitContext& context) {
  // Checked again, because shapes may have been unknown in support_lstm().
  NNVK_TRY(context.decode([&](const OperationView& operation) { return check_lstm_fits(operation, context.traits); }));
  NNVK_ASSIGN(const LstmParameters p, context.decode(lstm_parameters));
  std::vector<DirectionOutput> outputs;
  for (const LstmDirection& d : p.directions) outputs.push_back({d.output, d.output_size});
  const auto emit = [&](size_t i, const Sequence& sequence) {
    return DirectionEmitter(context, p, p.directions[i]).emit(sequence);
  };
  NNVK_TRY(emit_directions(context, outputs, uint64_t{p.steps} * p.batch, emit));
  if (p.scratch) return emit_join(context, *p.scratch, {}, {});  // the operation leaves the contents of `scratch` open: zeros
  return {};
}

Status support_lstm(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  const NodeView view = declared_view(plan, node);
  return check_lstm_fits(view.view(), traits);
}

}  // namespace

constinit const EmitterRows lstm_emitters = {
    {OperationCode::kLstm, support_lstm, emit_lstm},
    {OperationCode::kUnidirectionalSequenceLstm, support_lstm, emit_lstm},
    {OperationCode::kBidirectionalSequenceLstm, support_lstm, emit_lstm},
};

}  // namespace nnvk::vulkan
