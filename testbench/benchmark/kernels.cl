// Kernels of the simulation speed benchmark: the algorithms and sizes at which simulators of this machine are usually compared.
kernel void vectoradd(global float* c, global const float* a, global const float* b, uint n) {
  const uint i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

kernel void relu(global float* out, global const float* in, uint n) {
  const uint i = get_global_id(0);
  if (i < n) out[i] = in[i] > 0.0f ? in[i] : 0.0f;
}

#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul(global float* c, global const float* a, global const float* b, uint m, uint n, uint k) {
  local float as[TILE][TILE], bs[TILE][TILE];
  const uint lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint t = 0; t < k; t += TILE) {
    as[ly][lx] = a[y * k + t + lx];
    bs[ly][lx] = b[(t + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE; ++i) sum = fma(as[ly][i], bs[i][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}

kernel void fir(global float* out, global const float* in, constant float* taps, uint n, uint tap_count) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (uint t = 0; t < tap_count; ++t)
    if (i >= t) sum = fma(taps[t], in[i - t], sum);
  out[i] = sum;
}

#define SIDE 16
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void transpose(global float* out, global const float* in, uint width, uint height) {
  local float tile[SIDE][SIDE + 1];
  const uint lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * SIDE, gy = get_group_id(1) * SIDE;
  tile[ly][lx] = in[(gy + ly) * width + gx + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx + ly) * height + gy + lx] = tile[lx][ly];
}

kernel void stencil2d(global float* out, global const float* in, uint width, uint height) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x + 1 >= width || y + 1 >= height) return;
  global const float* p = in + y * width + x;
  out[y * width + x] = 0.5f * p[0] + 0.1f * (p[-1] + p[1] + p[-(int)width] + p[width]) + 0.025f * (p[-(int)width - 1] + p[-(int)width + 1] + p[width - 1] + p[width + 1]);
}

// one feature at a time, nearest of `clusters` centres
kernel void kmeans(global int* membership, global const float* feature, constant float* centre, uint points, uint clusters, uint features) {
  const uint i = get_global_id(0);
  if (i >= points) return;
  int best = 0;
  float least = FLT_MAX;
  for (uint c = 0; c < clusters; ++c) {
    float d = 0;
    for (uint f = 0; f < features; ++f) {
      const float e = feature[f * points + i] - centre[c * features + f];
      d = fma(e, e, d);
    }
    if (d < least) { least = d; best = (int)c; }
  }
  membership[i] = best;
}

kernel void atax_ax(global float* t, global const float* a, global const float* x, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float s = 0;
  for (uint j = 0; j < n; ++j) s = fma(a[i * n + j], x[j], s);
  t[i] = s;
}
kernel void atax_aty(global float* y, global const float* a, global const float* t, uint n) {
  const uint j = get_global_id(0);
  if (j >= n) return;
  float s = 0;
  for (uint i = 0; i < n; ++i) s = fma(a[i * n + j], t[i], s);
  y[j] = s;
}

kernel void spmv(global float* y, global const float* value, global const int* column, global const int* row, global const float* x, uint rows) {
  const uint i = get_global_id(0);
  if (i >= rows) return;
  float s = 0;
  for (int k = row[i]; k < row[i + 1]; ++k) s = fma(value[k], x[column[k]], s);
  y[i] = s;
}

// Bound by the vector ALU: eight independent chains of fused multiply-adds, additions and integer operations, no memory in the loop.
kernel void valu(global float* out, uint rounds) {
  const uint i = get_global_id(0);
  float a[8];
  uint u[4];
  for (int k = 0; k < 8; ++k) a[k] = (float)(i + k);
  for (int k = 0; k < 4; ++k) u[k] = i * 4 + k;
  for (uint r = 0; r < rounds; ++r) {
    #pragma unroll
    for (int k = 0; k < 8; ++k) a[k] = fma(a[k], 0.99f, a[(k + 1) & 7] + 0.5f);
    #pragma unroll
    for (int k = 0; k < 4; ++k) u[k] = (u[k] ^ (u[(k + 1) & 3] >> 3)) + r;
  }
  float s = 0;
  for (int k = 0; k < 8; ++k) s += a[k];
  for (int k = 0; k < 4; ++k) s += (float)u[k];
  out[i] = s;
}
