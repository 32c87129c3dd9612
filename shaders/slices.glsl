// A tensor in the form outer x size x inner around one axis: neighbours of a slice are `inner` elements apart.
#ifndef NNVK_SHADERS_SLICES_GLSL
#define NNVK_SHADERS_SLICES_GLSL

// Returns the slice of an element; elements past the end of the tensor get the last one.
uint slice_of_element(uint element, uint size, uint inner, uint slices) {
  return min(element / (size * inner) * inner + element % inner, slices - 1);
}

// Returns the first element of a slice.
uint first_of_slice(uint slice, uint size, uint inner) { return slice / inner * size * inner + slice % inner; }

#endif
