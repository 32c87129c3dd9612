// The rendered picture becomes the network's input [1, height, width, 3], from -1 to 1.
#version 450

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D picture;
layout(set = 0, binding = 1) writeonly buffer Tensor { float values[]; } tensor;

void main() {
  ivec2 size = imageSize(picture);
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, size))) return;
  vec3 colour = imageLoad(picture, pixel).rgb * 2.0 - 1.0;
  int first = (pixel.y * size.x + pixel.x) * 3;
  tensor.values[first] = colour.r;
  tensor.values[first + 1] = colour.g;
  tensor.values[first + 2] = colour.b;
}
