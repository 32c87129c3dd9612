"""RNN, SVDF and LSTM operations with numbers worked out by hand. Gates of an LSTM are set through their biases: sigmoid(0) = 1/2,
sigmoid(ln 3) = 3/4, and with activation 0 the cell gate and the cell state pass as they are."""

import math
from dataclasses import dataclass, replace

from vector_case import INT_MIN, floats, gives, half, halves, omitted, refused

IDENTITY, RELU, RELU1, RELU6, TANH, SIGMOID = 0, 1, 2, 3, 4, 6
LN3 = math.log(3)


def rnn():
    # One step with two units on one input of 2: W x = (2, -6), R h = (3, 0.5) and a bias of (1, 1).
    def step(activation):
        return [floats([1, 2], 2, 3), floats([2, 2], 1, 0, 0, -2), floats([2, 2], 0, 3, 0.5, 0), floats([2], 1, 1),
                floats([1, 2], 1, 1), activation]
    for activation, values in ((IDENTITY, (6, -4.5)), (RELU, (6, 0)), (RELU1, (1, -1)), (RELU6, (6, 0)),
                               (TANH, (math.tanh(6), math.tanh(-4.5))),
                               (SIGMOID, (1 / (1 + math.exp(-6)), 1 / (1 + math.exp(4.5))))):
        yield gives(f'rnn adds bias input and state then applies activation {activation} and its state is its output', 'RNN',
                    step(activation), floats([1, 2], *values), floats([1, 2], *values))
    for name, activation in (('minus 1', -1), ('5', 5), ('7', 7)):
        yield refused(f'rnn refuses the unknown activation {name}', 'RNN', step(activation), floats([1, 2]), floats([1, 2]))

    # A running sum: one unit, all weights one.
    def running_sum(sequence, state, activation=IDENTITY, time_major=1):
        batches = sequence.dims[1 if time_major else 0]
        one = floats([1, 1], 1)
        return [sequence, one, one, floats([1], 0), floats([batches, 1], *[state] * batches), activation, time_major]
    # Three steps of two rows: (1, 2, 3) and (10, 20, 30).
    yield gives('sequence rnn continues the state of each batch row when time is major', 'UNIDIRECTIONAL_SEQUENCE_RNN',
                running_sum(floats([3, 2, 1], 1, 10, 2, 20, 3, 30), 100),
                floats([3, 2, 1], 101, 110, 103, 130, 106, 160), floats([2, 1], 106, 160))
    yield gives('sequence rnn continues the state of each batch row when batches are major', 'UNIDIRECTIONAL_SEQUENCE_RNN',
                running_sum(floats([2, 3, 1], 1, 2, 3, 10, 20, 30), 100, time_major=0),
                floats([2, 3, 1], 101, 103, 106, 110, 130, 160), floats([2, 1], 106, 160))
    # 2048 + 1 rounds to 2048 in half precision, twice; in float32 the second sum would be 2050.
    one = halves([1, 1], 1)
    yield gives('sequence rnn rounds halves between steps', 'UNIDIRECTIONAL_SEQUENCE_RNN',
                [halves([2, 1, 1], 1, 1), one, one, halves([1], 0), halves([1, 1], 2048), IDENTITY, 1],
                halves([2, 1, 1], 2048, 2048), tolerance=0)
    x = floats([1, 1, 1], 1)
    yield gives('sequence rnn takes relu6', 'UNIDIRECTIONAL_SEQUENCE_RNN', running_sum(x, 0, RELU6), x)
    yield refused('sequence rnn refuses relu1', 'UNIDIRECTIONAL_SEQUENCE_RNN', running_sum(x, 0, RELU1), x)
    yield refused('sequence rnn refuses a time major of 2', 'UNIDIRECTIONAL_SEQUENCE_RNN', running_sum(x, 0, time_major=2), x)


def bidirectional_rnn():
    # Running sums in both directions over (1, 2, 4); the backward cell starts at 1000.
    one, bias = floats([1, 1], 1), floats([1], 0)

    def both_ways(merged=False, auxiliary=omitted(), weights=omitted()):
        return [floats([3, 1, 1], 1, 2, 4), one, one, bias, floats([1, 1], 0), one, one, bias, floats([1, 1], 1000), auxiliary,
                weights,
                weights, IDENTITY, True, merged]

    def series(*values):
        return floats([3, 1, 1], *values)
    states = floats([1, 1], 7), floats([1, 1], 1007)
    yield gives('bidirectional rnn starts the backward cell at the end', 'BIDIRECTIONAL_SEQUENCE_RNN', both_ways(),
                series(1, 3, 7), series(1007, 1006, 1004), *states)
    yield gives('bidirectional rnn lays merged outputs side by side', 'BIDIRECTIONAL_SEQUENCE_RNN', both_ways(merged=True),
                floats([3, 1, 2], 1, 1007, 3, 1006, 7, 1004), *states)
    auxiliary = series(0.5, 0.25, 0.125)
    yield gives('bidirectional rnn feeds an auxiliary input alone to the backward cell', 'BIDIRECTIONAL_SEQUENCE_RNN',
                both_ways(auxiliary=auxiliary), series(1, 3, 7), series(1000.875, 1000.375, 1000.125))
    yield gives('bidirectional rnn with auxiliary weights adds the auxiliary input to both cells', 'BIDIRECTIONAL_SEQUENCE_RNN',
                both_ways(auxiliary=auxiliary, weights=one), series(1.5, 3.75, 7.875), series(1007.875, 1006.375, 1004.125))
    yield refused('bidirectional rnn refuses merging with two outputs', 'BIDIRECTIONAL_SEQUENCE_RNN', both_ways(merged=True),
                  series(), series())
    yield refused('bidirectional rnn refuses one output without merging', 'BIDIRECTIONAL_SEQUENCE_RNN', both_ways(), series())


def svdf():
    # One unit of two filters with a memory of three: features 10 and -1; filters weigh the memory oldest first.
    def inputs(bias, activation, rank=2):
        return [floats([1, 1], 2), floats([2, 1], 5, -0.5), floats([2, 3], 1, 2, 3, 10, 20, 30), bias,
                floats([1, 6], 1, 2, 99, 3, 4, 99), rank, activation]
    memory = floats([1, 6], 2, 10, 0, 4, -1, 0)
    # (1 + 4 + 30) + (30 + 80 - 30) + 0.5
    yield gives('svdf puts the new feature last and the memory moves on', 'SVDF', inputs(floats([1], 0.5), IDENTITY), memory,
                floats([1, 1], 115.5))
    yield gives('svdf without a bias and with relu6', 'SVDF', inputs(omitted(), RELU6), memory, floats([1, 1], 6))
    for name, rank, activation in (('rank 0', 0, IDENTITY), ('rank minus 2', -2, IDENTITY), ('rank 3', 3, IDENTITY),
                                   ('tanh', 2, TANH)):
        yield refused(f'svdf refuses {name}', 'SVDF', inputs(omitted(), activation, rank), floats([1, 6]), floats([1, 1]))


# Numbers of the tensors of a cell; the backward cell of a bidirectional operation is BACKWARD further.
X, INPUT_WEIGHTS, RECURRENT_WEIGHTS, PEEPHOLES, BIASES, PROJECTION, PROJECTION_BIAS, H, C = 0, 1, 5, 9, 12, 16, 17, 18, 19
BACKWARD, GAINS = 17, 23
FORGET, CELL, OUTPUT = 1, 2, 3  # gates behind the input gate


@dataclass
class Lstm:
    """Sizes and options of an LSTM operation whose tensors are zero where a test says nothing else."""
    kind: str = 'LSTM'
    steps: int = 1
    batch: int = 1
    inputs: int = 1
    units: int = 1
    projected: int = 0
    auxiliary: int = 0
    auxiliary_weights: bool = False
    coupled: bool = False
    peephole: bool = False
    layer_norm: bool = False
    projection_bias: bool = False
    activation: int = IDENTITY
    cell_clip: float = 0.0
    projection_clip: float = 0.0
    time_major: bool = True
    merged: bool = False
    tensor: callable = floats

    def sequence(self, size):
        return [self.batch, size] if self.kind == 'LSTM' else \
            [self.steps, self.batch, size] if self.time_major else [self.batch, self.steps, size]

    def gates(self, *dims, given=True):
        return [list(dims) if given and not (self.coupled and gate == 0) else None for gate in range(4)]

    def cell(self, inputs):
        out = self.projected or self.units
        dims = self.gates(self.units, inputs) + self.gates(self.units, out) + self.gates(self.units, given=self.peephole)[:3]
        return dims + self.gates(self.units) + [[out, self.units] if self.projected else None,
                                                [out] if self.projection_bias else None]

    def operands(self, values):
        """`values`: of tensors by their number."""
        both = self.kind == 'BIDIRECTIONAL_SEQUENCE_LSTM'
        states = [[self.batch, self.projected or self.units], [self.batch, self.units]]
        dims = [self.sequence(self.inputs)] + self.cell(self.inputs)
        if both:
            dims += self.cell(self.auxiliary if self.auxiliary and not self.auxiliary_weights else self.inputs) + states + states
            dims += [self.sequence(self.auxiliary) if self.auxiliary else None]
            dims += self.gates(self.units, self.auxiliary, given=self.auxiliary_weights) * 2
        else:
            dims += states
        gains = self.gates(self.units, given=self.layer_norm) * (2 if both else 1)
        none = omitted(self.tensor([]).kind)
        tensors = [none if d is None else self.tensor(d, *values.get(i, [0] * math.prod(d))) for i, d in enumerate(dims)]
        real = half if self.tensor is halves else float
        scalars = [self.activation, real(self.cell_clip), real(self.projection_clip)]
        scalars += [self.merged] * both + [self.time_major] * (self.kind != 'LSTM')
        return tensors + scalars + [none if d is None else self.tensor(d,
                                                                       *values[GAINS + i] if GAINS + i in values else [0] * d[0])
                                    for i, d in enumerate(gains)]


def step(name, lstm, values, h, c, output=None):
    """One step of LSTM; the scratch output is zero, the state h is the output."""
    scratch = [lstm.batch, (3 if lstm.coupled else 4) * lstm.units]
    return gives(name, 'LSTM', lstm.operands(values), floats(scratch, *[0] * math.prod(scratch)), floats([1, len(h)], *h),
                 floats([1, len(c)], *c), floats([1, len(h)], *h))


def no_step(name, lstm):
    return refused(name, 'LSTM', lstm.operands({}), *(floats([1, 1]) for _ in range(4)))


def lstm():
    # c = 4/2 + 2/2 = 3, h = 3/2.
    yield step('lstm forgets half and remembers half', Lstm(), {BIASES + CELL: [2], C: [4]}, [1.5], [3])
    # Two inputs, two outputs: z_c = {1*2 + 10*3 + 5*7, 1*9}: unit 1 reads only the recurrent state of unit 0.
    # Unit 0: f = 3/4, c = 3 + 67/2 = 36.5, h = 18.25. Unit 1: c = 4 + 9/2 = 8.5, o = 3/4, h = 6.375.
    yield step('lstm gives every gate its own weights', Lstm(inputs=2, units=2),
               {X: [2, 3], INPUT_WEIGHTS + CELL: [1, 10, 0, 0], RECURRENT_WEIGHTS + CELL: [0, 5, 1, 0], BIASES + FORGET: [LN3, 0],
                BIASES + OUTPUT: [0, LN3], H: [9, 7], C: [4, 8]}, [18.25, 6.375], [36.5, 8.5])
    # f = 3/4, i = 1/4: c = 3 + 2 = 5, h = 5/2.
    yield step('lstm with a coupled input gate takes what the forget gate leaves', Lstm(coupled=True),
               {BIASES + FORGET: [LN3], BIASES + CELL: [8], C: [4]}, [2.5], [5])
    # Old state 2: i = f = sigmoid(ln 3 / 2 * 2) = 3/4; c = 1.5 + 3/4 * 6 = 6, clipped to 4; o = sigmoid(-ln 3 / 4 * 4) = 1/4.
    yield step('lstm peepholes of input and forget gate see the old state and that of the output gate the new one',
               Lstm(peephole=True, cell_clip=4.0),
               {PEEPHOLES: [LN3 / 2], PEEPHOLES + 1: [LN3 / 2], PEEPHOLES + 2: [-LN3 / 4], BIASES + CELL: [6], C: [2]}, [1], [4])
    # m = {1, 2}: h = {1 + 20 + 0.5, 3 - 2 + 0}, clipped to 10.
    projecting = Lstm(units=2, projected=2, projection_bias=True)
    values = {BIASES + CELL: [4, 8], PROJECTION: [1, 10, 3, -1], PROJECTION_BIAS: [0.5, 0]}
    yield step('lstm projects and adds its bias', projecting, values, [21.5, 1], [2, 4])
    yield step('lstm projects adds its bias and clips', replace(projecting, projection_clip=10.0), values, [10, 1], [2, 4])
    yield step('lstm without a projection ignores its clip', Lstm(projection_clip=0.001), {C: [4]}, [1], [2])
    # Cell gate: z = {1, 3}, mean 2, variance 1, times gains {2, 4}, plus biases {0, 1}: {-2, 5}. The other gates see z = 0.
    yield step('lstm normalizes every gate over its units before the bias', Lstm(units=2, layer_norm=True),
               {X: [1], INPUT_WEIGHTS + CELL: [1, 3], GAINS + CELL: [2, 4], BIASES + CELL: [0, 1], C: [2, 2]}, [0, 1.75],
               [0, 3.5])
    # c = {1, 3}; peephole 1: the output gate sees {1, 3}, normalized {-1, 1}, times ln 3: o = {1/4, 3/4}.
    yield step('lstm normalizes the output gate behind its peephole', Lstm(units=2, peephole=True, layer_norm=True),
               {PEEPHOLES + 2: [1, 1], GAINS + OUTPUT: [LN3, LN3], C: [2, 6]}, [0.25, 2.25], [1, 3])
    # c = act(z) / 2 with z = -3 and 9; h = act(c) / 2.
    for activation, act in ((IDENTITY, lambda x: x), (RELU, lambda x: max(0, x)), (RELU1, lambda x: min(1, max(-1, x))),
                            (RELU6, lambda x: min(6, max(0, x))), (TANH, math.tanh), (SIGMOID, lambda x: 1 / (1 + math.exp(-x)))):
        c = [act(z) / 2 for z in (-3, 9)]
        yield step(f'lstm applies activation {activation} to cell gate and state', Lstm(units=2, activation=activation),
                   {BIASES + CELL: [-3, 9]}, [act(x) / 2 for x in c], c)
    for name, activation in (('minus 1', -1), ('5', 5), ('7', 7), ('the least', INT_MIN)):
        yield no_step(f'lstm refuses activation {name}', Lstm(activation=activation))
    # Where the specification says so, negative clips fail; else they turn clipping off.
    for name, clips in (('cell', {'cell_clip': -1.0}), ('projection', {'projection_clip': -1.0})):
        yield no_step(f'lstm refuses a negative {name} clip', Lstm(activation=TANH, **clips))
        yield refused(f'bidirectional lstm refuses a negative {name} clip', 'BIDIRECTIONAL_SEQUENCE_LSTM',
                      Lstm('BIDIRECTIONAL_SEQUENCE_LSTM', activation=TANH, **clips).operands({}),
                      *(floats([1, 1, 1]) for _ in range(2)), *(floats([1, 1]) for _ in range(4)))


def sequence_lstm():
    kind = 'UNIDIRECTIONAL_SEQUENCE_LSTM'
    yield gives('sequence lstm takes a negative cell clip as none', kind, Lstm(kind, cell_clip=-1.0).operands({C: [8]}),
                floats([1, 1, 1], 2), floats([1, 1], 2), floats([1, 1], 4))
    # c = c/2 + x/2, h = c/2. Batch row 0 reads 8, 4; row 1 reads 0, 2: c = 4, 4 and 0, 1.
    time_major = Lstm(kind, steps=2, batch=2)
    yield gives('sequence lstm carries its state from step to step when time is major', kind,
                time_major.operands({X: [8, 0, 4, 2], INPUT_WEIGHTS + CELL: [1]}),
                floats([2, 2, 1], 2, 0, 2, 0.5), floats([2, 1], 2, 0.5), floats([2, 1], 4, 1))
    yield gives('sequence lstm carries its state from step to step when batches are major', kind,
                replace(time_major, time_major=False).operands({X: [8, 4, 0, 2], INPUT_WEIGHTS + CELL: [1]}),
                floats([2, 2, 1], 2, 2, 0, 0.5))
    # z_c = h: c = c/2 + h/2, h = c/2. From c = 16, h = 0: c = 8, h = 4; c = 6, h = 3; c = 4.5.
    yield gives('sequence lstm feeds its output back', kind,
                Lstm(kind, steps=3).operands({RECURRENT_WEIGHTS + CELL: [1], C: [16]}),
                floats([3, 1, 1], 4, 3, 2.25), floats([1, 1], 2.25), floats([1, 1], 4.5))
    # c = 2047/2 + 0.25/2 = 1023.625, which is no half; the nearest one, 1023.5, would leave 0 after the second step.
    yield gives('sequence lstm rounds half states behind the last step only', kind,
                Lstm(kind, steps=2, tensor=halves).operands({INPUT_WEIGHTS + CELL: [1], X: [0.25, -1023.5], C: [2047]}),
                halves([2, 1, 1], 511.75, 0.03125), halves([1, 1], 0.03125), halves([1, 1], 0.0625), tolerance=0)


def bidirectional_lstm():
    kind = 'BIDIRECTIONAL_SEQUENCE_LSTM'
    # Both cells: c = c/2 + x/2, h = c/2 over 8, 4. Forward c = 4, 4; backward c = 2 (time 1), then 5 (time 0).
    cells = Lstm(kind, steps=2)
    values = {X: [8, 4], INPUT_WEIGHTS + CELL: [1], BACKWARD + INPUT_WEIGHTS + CELL: [1]}
    states = [floats([1, 1], v) for v in (2, 4, 2.5, 5)]  # forward h and c; backward h and c, after time 0
    yield gives('bidirectional lstm runs backward from the last step and keeps the order of time', kind, cells.operands(values),
                floats([2, 1, 1], 2, 2), floats([2, 1, 1], 2.5, 1), *states)
    yield gives('bidirectional lstm lays merged outputs side by side', kind, replace(cells, merged=True).operands(values),
                floats([2, 1, 2], 2, 2.5, 2, 1), *states)
    yield gives('bidirectional lstm with parallel linking feeds the auxiliary input to the backward cell', kind,
                Lstm(kind, auxiliary=2).operands({X: [8], INPUT_WEIGHTS + CELL: [1], BACKWARD + INPUT_WEIGHTS + CELL: [1, 10],
                                                  39: [4, 2]}),
                floats([1, 1, 1], 2), floats([1, 1, 1], 6), *(floats([1, 1], v) for v in (2, 4, 6, 12)))
    # (8 + 40) / 4 and (16 + 400) / 4
    yield gives('bidirectional lstm with cross linking adds the auxiliary input to both cells', kind,
                Lstm(kind, auxiliary=1, auxiliary_weights=True).operands(
                    {X: [8], INPUT_WEIGHTS + CELL: [1], BACKWARD + INPUT_WEIGHTS + CELL: [2], 39: [4], 40 + CELL: [10],
                     44 + CELL: [100]}),
                floats([1, 1, 1], 12), floats([1, 1, 1], 104), *(floats([1, 1], v) for v in (12, 24, 104, 208)))
    sequences, state = floats([1, 1, 1]), floats([1, 1])
    yield refused('bidirectional lstm refuses merging with an output for each direction', kind,
                  Lstm(kind, activation=TANH, merged=True).operands({}), sequences, sequences, state, state, state, state)
    yield refused('bidirectional lstm refuses one output for both directions without merging', kind,
                  Lstm(kind, activation=TANH).operands({}), sequences, state, state, state, state)


def cases():
    for family in (rnn, bidirectional_rnn, svdf, lstm, sequence_lstm, bidirectional_lstm):
        yield from family()
