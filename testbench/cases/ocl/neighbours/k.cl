// Rows by a map, uniform in a workgroup: clang 15 reads in front of a row by scalar loads with negative immediates.
kernel void neighbours(global uint* restrict o, constant int* map, constant uint* p, constant ulong* q) {
  int g = map[get_group_id(0)];
  o[get_global_id(0)] = (p[g] - p[g - 1]) * (uint)get_local_id(0) + p[g - 2] + (uint)(q[g - 1] >> 32) * (uint)q[g - 2];
}
