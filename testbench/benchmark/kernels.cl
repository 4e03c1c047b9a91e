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

// AES-256, one block of 16 bytes a work-item; `keys`: 60 words of the expanded key; a word's lowest byte is the column's first row.
uint xtime(uint w) { return (w << 1 & 0xfefefefeu) ^ (w >> 7 & 0x01010101u) * 0x1bu; }
uint substitute(global const uchar* sbox, uint a, uint b, uint c, uint d) {
  return (uint)sbox[a & 255] | (uint)sbox[b >> 8 & 255] << 8 | (uint)sbox[c >> 16 & 255] << 16 | (uint)sbox[d >> 24] << 24;
}
kernel void aes(global uint4* blocks, global const uint* keys, global const uchar* sbox) {
  const uint i = get_global_id(0);
  uint s[4], t[4];
  const uint4 in = blocks[i];
  s[0] = in.x ^ keys[0]; s[1] = in.y ^ keys[1]; s[2] = in.z ^ keys[2]; s[3] = in.w ^ keys[3];
  for (uint round = 1; round <= 14; ++round) {
    for (uint c = 0; c < 4; ++c) t[c] = substitute(sbox, s[c], s[(c + 1) % 4], s[(c + 2) % 4], s[(c + 3) % 4]); // with the shift of rows
    for (uint c = 0; c < 4; ++c) {
      uint w = t[c];
      if (round < 14) { // mix columns: 2 a0 + 3 a1 + a2 + a3 for each row
        const uint r1 = rotate(w, 24u), r2 = rotate(w, 16u), r3 = rotate(w, 8u);
        w = xtime(w ^ r1) ^ r1 ^ r2 ^ r3;
      }
      s[c] = w ^ keys[4 * round + c];
    }
  }
  blocks[i] = (uint4)(s[0], s[1], s[2], s[3]);
}

// 512 points a workgroup of 64: three steps of eight-point transforms with an exchange through shared memory between them.
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
float2 turn(float part) { return (float2)(native_cos(part * 6.283185307f), -native_sin(part * 6.283185307f)); }
void fft8(float2* v) {
  float2 t[8];
  const float h = 0.70710678f;
  for (uint i = 0; i < 4; ++i) { t[i] = v[i] + v[i + 4]; t[i + 4] = v[i] - v[i + 4]; }
  t[5] = times(t[5], (float2)(h, -h)); t[6] = (float2)(t[6].y, -t[6].x); t[7] = times(t[7], (float2)(-h, -h));
  for (uint b = 0; b < 8; b += 4) {
    const float2 p0 = t[b] + t[b + 2], p1 = t[b] - t[b + 2], q0 = t[b + 1] + t[b + 3], q1 = t[b + 1] - t[b + 3], r = (float2)(q1.y, -q1.x);
    const uint o = b / 4;
    v[o] = p0 + q0; v[o + 4] = p0 - q0; v[o + 2] = p1 + r; v[o + 6] = p1 - r;
  }
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fft(global float2* data) {
  local float2 buf[512];
  const uint t = get_local_id(0), a = t % 8, q = t / 8;
  global float2* d = data + get_group_id(0) * 512;
  float2 v[8];
  for (uint k = 0; k < 8; ++k) v[k] = d[t + 64 * k];
  fft8(v);
  for (uint k = 0; k < 8; ++k) buf[k * 64 + t] = times(v[k], turn((float)(k * t) / 512.0f));
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 8; ++k) v[k] = buf[q * 64 + a + 8 * k];
  fft8(v);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 8; ++k) buf[q * 64 + k * 8 + a] = times(v[k], turn((float)(k * a) / 64.0f));
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 8; ++k) v[k] = buf[q * 64 + a * 8 + k];
  fft8(v);
  for (uint k = 0; k < 8; ++k) d[q + 8 * (a + 8 * k)] = v[k];
}
