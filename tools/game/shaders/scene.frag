// Light from one side, and a pattern of fine lines for the network to restore. With GUIDES it also writes depth and motion.
#version 450

layout(location = 0) in vec3 in_normal;
layout(location = 1) in vec3 in_position;
layout(location = 2) flat in vec3 in_colour;
layout(location = 3) in vec2 in_uv;
layout(location = 0) out vec4 out_colour;
#ifdef GUIDES
layout(location = 4) in vec3 in_now;     // x, y, w in clip space
layout(location = 5) in vec3 in_before;  // the same in the frame before
layout(location = 1) out vec4 out_depth;
layout(location = 2) out vec4 out_motion;
#endif

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
#ifdef GUIDES
  out_depth = vec4(in_now.z / 14.0, 0.0, 0.0, 1.0);
  out_motion = vec4(0.5 * (in_now.xy / in_now.z - in_before.xy / in_before.z), 0.0, 1.0);  // in parts of the picture
#endif
}
