// A tensor seen as outer x size x inner around one axis: `inner` elements lie between neighbours of a slice.
#ifndef NNVK_SHADERS_SLICES_GLSL
#define NNVK_SHADERS_SLICES_GLSL

// The slice of an element; elements behind the end of the tensor are given the last one.
uint slice_of_element(uint element, uint size, uint inner, uint slices) {
  return min(element / (size * inner) * inner + element % inner, slices - 1);
}

// The first element of a slice.
uint first_of_slice(uint slice, uint size, uint inner) { return slice / inner * size * inner + slice % inner; }

#endif
