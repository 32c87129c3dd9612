// The network's output [1, height, width, 3], from -1 to 1, becomes the frame that is shown: 8-bit RGBA.
#version 450

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1) readonly buffer Tensor { float values[]; } tensor;
layout(set = 0, binding = 2) writeonly buffer Shown { uint pixels[]; } shown;
layout(push_constant) uniform Size { ivec2 size; } frame;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, frame.size))) return;
  int index = pixel.y * frame.size.x + pixel.x;
  vec3 colour = vec3(tensor.values[index * 3], tensor.values[index * 3 + 1], tensor.values[index * 3 + 2]);
  shown.pixels[index] = packUnorm4x8(vec4(colour * 0.5 + 0.5, 1.0));
}
