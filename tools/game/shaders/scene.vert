// A floor and a ring of turning cubes, made from the vertex and instance numbers alone.
#version 450

layout(push_constant) uniform Scene {
  float time;    // seconds
  float aspect;  // width / height
} scene;

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_position;
layout(location = 2) flat out vec3 out_colour;
layout(location = 3) out vec2 out_uv;

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

void main() {
  vec3 position;
  vec3 normal;
  corner(gl_VertexIndex, position, normal, out_uv);
  int cube = gl_InstanceIndex - 1;
  if (cube < 0) {  // the floor
    position = position * vec3(9, 0.1, 9) - vec3(0, 1.6, 0);
    out_uv *= 12.0;
    out_colour = vec3(0.55, 0.58, 0.62);
  } else {
    float place = float(cube) * 0.785398 + scene.time * 0.25;
    mat3 rotation = turned(scene.time + float(cube)) * tilted(scene.time * 0.7 + float(cube));
    position = rotation * (position * (0.55 + 0.1 * float(cube % 3)));
    position += vec3(sin(place) * 3.2, 0.3 * sin(scene.time * 2.0 + float(cube)), cos(place) * 3.2);
    normal = rotation * normal;
    out_colour = 0.55 + 0.45 * cos(vec3(0, 2.1, 4.2) + float(cube) * 0.9);
    out_uv *= 4.0;
  }
  out_normal = normal;
  out_position = position;
  // A camera above, looking down at the middle.
  vec3 seen = tilted(0.5) * (position - vec3(0, 4.2, 7.5));
  float near = 0.1;
  float far = 40.0;
  gl_Position = vec4(seen.x * 1.6 / scene.aspect, -seen.y * 1.6, (-seen.z * far - near * far) / (far - near), -seen.z);
}
