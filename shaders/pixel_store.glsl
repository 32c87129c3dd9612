// Stores elements of a tensor that pixels became. The including file declares TO, the tensor's type, its output out_y and params.
#ifndef NNVK_SHADERS_PIXEL_STORE_GLSL
#define NNVK_SHADERS_PIXEL_STORE_GLSL

// Stores elements 4 i to 4 i + 3. Bytes are rounded to the nearest; NaN is the lowest.
void store(uint i, vec4 values) {
  if (TO == kElementUint8 || TO == kElementInt8) {
    const precise vec4 nearest = floor(values + 0.5);
    const bvec4 is_above = greaterThanEqual(nearest, vec4(params.lowest));  // not NaN
    out_y_int4(TO, i, ivec4(mix(vec4(params.lowest), min(nearest, params.highest), is_above)));
  } else {
    out_y_float4(TO, i, values);
  }
}

#endif
