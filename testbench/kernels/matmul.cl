// SPDX-License-Identifier: Apache-2.0
// C = A * B for row-major float matrices: A is m x k, B is k x n. m, n and k are multiples of the tile.
// Each workgroup computes one tile of C, each work-item one element; tiles of A and B are staged in LDS.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global float *restrict c, global const float *restrict a, global const float *restrict b, int m, int n, int k) {
  local float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int column = get_local_id(0), row = get_local_id(1);
  const int x = get_group_id(0) * TILE + column, y = get_group_id(1) * TILE + row;
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    a_tile[row][column] = a[y * k + first + column];
    b_tile[row][column] = b[(first + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum = fma(a_tile[row][i], b_tile[i][column], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
