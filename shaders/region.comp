// ROI_ALIGN and ROI_POOLING. One invocation writes four consecutive elements of the flat output. With FOUR_CHANNELS (NHWC,
// channels a multiple of 4) they are four channels of one cell; else the kernel computes each element separately, in either
// layout.
#version 450
#include "real_access.glsl"
#include "quantize.glsl"
#include "region_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;
layout(constant_id = 2) const bool FOUR_CHANNELS = true;
layout(constant_id = 3) const uint REGION_TYPE = 0;

NNVK_PARAMS(RegionParams)
#ifdef NNVK_INTEGER
#define VALUE4 ivec4
NNVK_INT4_INPUT(0, in_x, TYPE)
#else
#define VALUE4 vec4
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
#endif
NNVK_REAL_INPUT(1, rois, REGION_TYPE)
NNVK_TABLE(2, batch_index)
NNVK_OUTPUT(3, out_y)
NNVK_INOUT(4, status)
NNVK_INOUT(5, partial)  // four words per invocation; see step_flags

const float ROI_SCALE = 0.125;  // of quantized regions; their zero point is 0

// The position of an output element; `channel` counts quads with FOUR_CHANNELS.
struct Position {
  uint region;
  uint y;
  uint x;
  uint channel;
};

Position position_of(uint index) {
  Position p;
  if (!FOUR_CHANNELS && params.nchw != 0) {
    p.x = index % params.out_width;
    index /= params.out_width;
    p.y = index % params.out_height;
    index /= params.out_height;
    p.channel = index % params.channels;
    p.region = index / params.channels;
  } else {
    p.channel = index % params.channels;
    index /= params.channels;
    p.x = index % params.out_width;
    index /= params.out_width;
    p.y = index % params.out_height;
    p.region = index / params.out_height;
  }
  // Clamps the region, because lanes past the end of the tensor would get a region that does not exist.
  p.region = min(p.region, params.regions - 1);
  return p;
}

VALUE4 load(uint index) { return FOUR_CHANNELS ? in_x(index) : VALUE4(NNVK_SCALAR_OF(in_x, index)); }

// ---- ROI_ALIGN ----------------------------------------------------------------------------------------------------------

// Sample points along one axis: point s of output cell i lies at first + step * i + spacing / 2 + spacing * s.
struct SampleAxis {
  float first;
  float step;
  float spacing;
  int count;
};

SampleAxis sample_axis(vec2 span, uint cells, int samples) {
  SampleAxis axis;
  axis.first = span.x;
  precise const float extent = span.y - span.x;
  axis.step = divide(max(extent, 1.0), float(cells));
  axis.count = samples > 0 ? samples : int(ceil(axis.step));
  axis.spacing = divide(axis.step, float(axis.count));
  return axis;
}

float sample_at(SampleAxis axis, uint i, int s) {
  precise const float at = axis.first + axis.step * float(i) + axis.spacing * 0.5 + axis.spacing * float(s);
  return at;
}

// The neighbours of a sample along one axis and the weight of the second one.
struct Neighbours {
  uint first;
  uint second;
  float weight;
};

Neighbours neighbours(float position, uint size) {
  const float whole = floor(position);
  if (whole >= float(size - 1)) return Neighbours(size - 1, size - 1, 0.0);
  precise const float weight = position - whole;
  return Neighbours(uint(whole), uint(whole) + 1, weight);
}

// Returns one neighbour's share of a sum; weights of 8-bit images are in units of 1/255.
VALUE4 weighted(uint index, float weight) {
#ifdef NNVK_INTEGER
  return int(round_half_away(divide(weight, 0.0039215688593685627))) * (load(index) - params.in_zero_point);
#else
  precise const vec4 share = weight * load(index);
  return share;
#endif
}

VALUE4 finish(VALUE4 sum, float points) {
#ifdef NNVK_INTEGER
  const float multiplier = divide(params.multiplier, points);
  if (!(multiplier < 1.0)) atomicOr(status_w[kRegionStatusMultiplier], 1u);
  // A float already is mantissa * 2^exponent; below 2^-32 it counts as zero.
  const uint bits = floatBitsToUint(multiplier);
  const int exponent = int(bits >> 23) - 126;
  const int mantissa = exponent < -31 || exponent > 0 ? 0 : int((bits & 0x7FFFFFu) | 0x800000u) << 7;
  const int lo = TYPE == kElementUint8 ? 0 : -128;
  return requantize(sum, mantissa, clamp(exponent, -31, 0), params.out_zero_point, lo, lo + 255);
#else
  return sum / points;
#endif
}

VALUE4 align(Position p, vec4 corners, uint image, VALUE4 before) {
  SampleAxis axes[2];  // y, x
  for (uint a = 0; a < 2; ++a) {
    axes[a] = sample_axis(a == 0 ? corners.yw : corners.xz, a == 0 ? params.out_height : params.out_width,
                          a == 0 ? params.samples_y : params.samples_x);
  }
  const SampleAxis ys = axes[0];
  const SampleAxis xs = axes[1];
  precise VALUE4 sum = before;
  const int end = int(min(uint(ys.count), params.step_end));
  for (int b = int(params.step_begin); b < end; ++b) {
    const Neighbours y = neighbours(sample_at(ys, p.y, b), params.in_height);
    const uint upper = image + y.first * params.in_step_row;
    const uint lower = image + y.second * params.in_step_row;
    for (int a = 0; a < xs.count; ++a) {
      const Neighbours x = neighbours(sample_at(xs, p.x, a), params.in_width);
      const uint left = x.first * params.in_step_pixel;
      const uint right = x.second * params.in_step_pixel;
      precise const float rest_x = 1.0 - x.weight;
      precise const float rest_y = 1.0 - y.weight;
      precise const vec4 weights = vec4(rest_x * rest_y, x.weight * rest_y, rest_x * y.weight, x.weight * y.weight);
      const uvec4 cells = uvec4(upper + left, upper + right, lower + left, lower + right);
      for (uint n = 0; n < 4; ++n) sum = sum + weighted(cells[n], weights[n]);
    }
  }
  return (params.step_flags & kRegionLast) != 0 ? finish(sum, float(ys.count) * float(xs.count)) : sum;
}

// ---- ROI_POOLING --------------------------------------------------------------------------------------------------------

// Returns the cells [x, y) of bin i along one axis.
uvec2 bin_at(vec2 span, uint bins, uint i, uint size) {
  const float begin = round_half_away(span.x);
  precise const float extent = round_half_away(span.y) - begin + 1.0;
  const float step = divide(max(extent, 1.0), float(bins));
  precise const vec2 ends = vec2(step * float(i) + begin, step * float(i + 1) + begin);
  return uvec2(clamp(vec2(floor(ends.x), ceil(ends.y)), vec2(0.0), vec2(float(size))));
}

VALUE4 pool(Position p, vec4 corners, uint image, VALUE4 before) {
  uvec2 bins[2];  // of rows, of columns
  for (uint a = 0; a < 2; ++a) {
    bins[a] = bin_at(a == 0 ? corners.yw : corners.xz, a == 0 ? params.out_height : params.out_width, a == 0 ? p.y : p.x,
                     a == 0 ? params.in_height : params.in_width);
  }
  const uvec2 rows = bins[0];
  const uvec2 columns = bins[1];
  VALUE4 largest = before;
  if ((params.step_flags & kRegionFirst) != 0) {
#ifdef NNVK_INTEGER
    largest = VALUE4(params.in_zero_point);
#else
    largest = VALUE4(0.0);
#endif
    // The first cell always counts, whatever its value.
    if (rows.x < rows.y && columns.x < columns.y) {
      largest = load(image + rows.x * params.in_step_row + columns.x * params.in_step_pixel);
    }
  }
  const uint end = params.step_end < rows.y - min(rows.x, rows.y) ? rows.x + params.step_end : rows.y;
  for (uint y = rows.x + params.step_begin; y < end; ++y) {
    for (uint x = columns.x; x < columns.y; ++x) {
      const VALUE4 value = load(image + y * params.in_step_row + x * params.in_step_pixel);
      largest = mix(largest, value, greaterThan(value, largest));
    }
  }
  return largest;
}

// ---- both ---------------------------------------------------------------------------------------------------------------

VALUE4 compute(Position p, VALUE4 before) {
  const vec4 roi = rois_real4(p.region, ROI_SCALE, 0.0);
  precise const vec4 corners = roi * vec4(params.scale_x, params.scale_y, params.scale_x, params.scale_y);
  const uint batch = batch_index(p.region);  // a negative index wraps to a huge one
  const bool inside = well_formed(corners) && corners.x >= 0.0 && corners.y >= 0.0 && corners.z <= float(params.in_width) &&
                      corners.w <= float(params.in_height);
  if (batch >= params.batches || !inside || !well_formed(roi)) {
    atomicOr(status_w[kRegionStatusMisplaced], 1u);
    return VALUE4(0);
  }
  const uint image = batch * params.in_step_batch + p.channel * params.in_step_channel;
  return OPERATION == kRegionAlign ? align(p, corners, image, before) : pool(p, corners, image, before);
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  VALUE4 before = VALUE4(0);
  if ((params.step_flags & kRegionFirst) == 0) {
#ifdef NNVK_INTEGER
    before = partial_i4(i);
#else
    before = partial_f4(i);
#endif
  }
  VALUE4 y;
  for (uint lane = 0; lane < (FOUR_CHANNELS ? 1u : 4u); ++lane) {  // one call only: the compiler inlines it
    const VALUE4 value = compute(position_of(FOUR_CHANNELS ? i : 4 * i + lane), FOUR_CHANNELS ? before : VALUE4(before[lane]));
    if (FOUR_CHANNELS) {
      y = value;
    } else {
      y[lane] = value.x;
    }
  }
#ifdef NNVK_INTEGER
  if ((params.step_flags & kRegionLast) == 0) {
    partial_int4(kElementInt32, i, y);
  } else {
    out_y_int4(TYPE, i, y);
  }
#else
  if ((params.step_flags & kRegionLast) == 0) {
    partial_float4(kElementFloat32, i, y);
  } else {
    out_y_float4(TYPE, i, y);
  }
#endif
}
