// SPDX-License-Identifier: Apache-2.0
// Two passes over a picture: a lens that twists it and splits its colours (bilinear samples between texels), then a sharpening of 3 x 3 texels.
kernel void lens(read_only image2d_t from, write_only image2d_t to, sampler_t s, float twist, float fringe) {
  const int2 p = (int2)(get_global_id(0), get_global_id(1));
  const float2 size = (float2)(get_image_width(from), get_image_height(from));
  const float2 from_middle = ((float2)(p.x, p.y) + 0.5f - size * 0.5f) / size.y;
  const float distance2 = dot(from_middle, from_middle), near = max(0.0f, 1.0f - 4.0f * distance2);
  const float angle = twist * near * near, c = native_cos(angle), d = native_sin(angle);
  const float2 turned = (float2)(c * from_middle.x - d * from_middle.y, d * from_middle.x + c * from_middle.y);
  float4 colour;
  const float2 unit = size.y / size;
  colour.x = read_imagef(from, s, turned * (1 - fringe * distance2) * unit + 0.5f).x;
  colour.y = read_imagef(from, s, turned * unit + 0.5f).y;
  colour.z = read_imagef(from, s, turned * (1 + fringe * distance2) * unit + 0.5f).z;
  colour *= 1 - 0.5f * distance2;
  colour.w = 1;
  write_imagef(to, p, colour);
}

constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void sharpen(read_only image2d_t from, write_only image2d_t to, float strength) {
  const int2 p = (int2)(get_global_id(0), get_global_id(1));
  const float4 middle = read_imagef(from, texels, p);
  float4 sum = 0;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x) sum += read_imagef(from, texels, p + (int2)(x, y));
  float4 colour = middle + strength * (middle - sum / 9);
  colour.w = 1;
  write_imagef(to, p, colour);
}
