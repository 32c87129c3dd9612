// Light from one side, and a pattern of fine lines for the network to restore.
#version 450

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_position;
layout(location = 2) flat in vec3 in_colour;
layout(location = 3) in vec2 in_uv;
layout(location = 0) out vec4 out_colour;

void main() {
  vec3 light = normalize(vec3(0.4, 0.8, 0.5));
  float diffuse = max(dot(normalize(in_normal), light), 0.0);
  vec2 cell = floor(in_uv);
  float checker = mod(cell.x + cell.y, 2.0);
  vec2 inside = abs(fract(in_uv) - 0.5);
  float line = step(0.44, max(inside.x, inside.y));
  float fog = clamp(length(in_position) / 14.0, 0.0, 1.0);
  vec3 colour = in_colour * (0.75 + 0.25 * checker) * (0.25 + 0.75 * diffuse);
  colour = mix(colour, vec3(0.08), line * 0.7);
  out_colour = vec4(mix(colour, vec3(0.62, 0.72, 0.85), fog * fog), 1.0);
}
