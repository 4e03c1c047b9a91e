// SPDX-License-Identifier: Apache-2.0
// A bit of everything that compilers treat differently at different levels of optimisation: division, square roots, private arrays, calls, loops that diverge,
// local memory, 64-bit and double arithmetic.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

float polynomial(float x, int n) {
  float r = 0;
  for (int k = 0; k < n; ++k) r = r * x + (float)(k + 1);
  return r;
}

uint steps(uint n) {
  uint s = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++s;
  }
  return s;
}

kernel void mixed(global float* f, global double* d, global int* n, global ulong* w, global const float* a, global const int* b) {
  const int i = get_global_id(0);
  const float x = a[i];
  f[4 * i] = x * 3.0f / (fabs(x) + 1.0f) + sqrt(fabs(x));
  f[4 * i + 1] = polynomial(x, 2 + (i & 3));
  f[4 * i + 2] = fmin(fmax(x, -0.25f), 0.75f) + floor(x * 4.0f);
  f[4 * i + 3] = fma(x, x, -x) / 3.0f;
  d[i] = (double)x / 3.0 + sqrt((double)(i + 1));
  int table[8];
  for (int k = 0; k < 8; ++k) table[k] = b[i] >> k;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum = sum * 3 + table[(k + i) & 7];
  n[4 * i] = sum;
  n[4 * i + 1] = b[i] / 7 + b[i] % 5;
  n[4 * i + 2] = (int)((uint)b[i] / (uint)(i + 3));
  n[4 * i + 3] = (int)steps(i + 1);
  w[i] = (ulong)(uint)b[i] * 0x9e3779b97f4a7c15ul / (ulong)(i + 1);
}

kernel void group_sum(global int* total, global int* sums, global const int* b) {
  local int part[64];
  const int l = get_local_id(0);
  part[l] = b[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 32; step > 0; step >>= 1) {
    if (l < step) part[l] += part[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) {
    sums[get_group_id(0)] = part[0];
    atomic_add(total, part[0]);
  }
}
