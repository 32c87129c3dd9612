// A floor and a ring of turning cubes, made from the vertex and instance numbers alone. With GUIDES it also computes the positions of
// the frame before.
#version 450

layout(push_constant) uniform Scene {
  float time;    // seconds
  float aspect;  // width / height
  float before;  // seconds, of the frame before
} scene;

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_position;
layout(location = 2) flat out vec3 out_colour;
layout(location = 3) out vec2 out_uv;
#ifdef GUIDES
layout(location = 4) out vec3 out_now;
layout(location = 5) out vec3 out_before;
#endif

const int kFaceOrder[6] = int[](0, 1, 2, 2, 1, 3);

// Corner `number` (0 to 35) of a cube from -1 to 1.
void corner(int number, out vec3 position, out vec3 normal, out vec2 uv) {
  int face = number / 6;
  int index = kFaceOrder[number % 6];
  uv = vec2(index & 1, index >> 1);
  vec2 p = uv * 2.0 - 1.0;
  float side = (face & 1) == 0 ? 1.0 : -1.0;
  int axis = face >> 1;
  position = axis == 0 ? vec3(side, p) : axis == 1 ? vec3(p.x, side, p.y) : vec3(p, side);
  normal = axis == 0 ? vec3(side, 0, 0) : axis == 1 ? vec3(0, side, 0) : vec3(0, 0, side);
}

mat3 turned(float angle) { return mat3(cos(angle), 0, -sin(angle), 0, 1, 0, sin(angle), 0, cos(angle)); }
mat3 tilted(float angle) { return mat3(1, 0, 0, 0, cos(angle), sin(angle), 0, -sin(angle), cos(angle)); }

// Places a point of the floor (cube < 0) or of a cube at `time`, and turns its normal.
void place(int cube, float time, inout vec3 position, inout vec3 normal) {
  if (cube < 0) {
    position = position * vec3(9, 0.1, 9) - vec3(0, 1.6, 0);
    return;
  }
  float angle = float(cube) * 0.785398 + time * 0.25;
  mat3 rotation = turned(time + float(cube)) * tilted(time * 0.7 + float(cube));
  position = rotation * (position * (0.55 + 0.1 * float(cube % 3)));
  position += vec3(sin(angle) * 3.2, 0.3 * sin(time * 2.0 + float(cube)), cos(angle) * 3.2);
  normal = rotation * normal;
}

// Projects a point by a camera above, looking down at the middle.
vec4 project(vec3 position) {
  vec3 seen = tilted(0.5) * (position - vec3(0, 4.2, 7.5));
  float near = 0.1;
  float far = 40.0;
  return vec4(seen.x * 1.6 / scene.aspect, -seen.y * 1.6, (-seen.z * far - near * far) / (far - near), -seen.z);
}

void main() {
  vec3 position;
  vec3 normal;
  corner(gl_VertexIndex, position, normal, out_uv);
  int cube = gl_InstanceIndex - 1;
#ifdef GUIDES
  vec3 then = position;
  vec3 unused = normal;
  place(cube, scene.before, then, unused);
  out_before = project(then).xyw;
#endif
  place(cube, scene.time, position, normal);
  out_uv *= cube < 0 ? 12.0 : 4.0;
  out_colour = cube < 0 ? vec3(0.55, 0.58, 0.62) : 0.55 + 0.45 * cos(vec3(0, 2.1, 4.2) + float(cube) * 0.9);
  out_normal = normal;
  out_position = position;
  gl_Position = project(position);
#ifdef GUIDES
  out_now = gl_Position.xyw;
#endif
}
