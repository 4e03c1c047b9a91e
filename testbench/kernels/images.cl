// SPDX-License-Identifier: Apache-2.0
// OpenCL images and samplers of every kind, for testbench/cli/opencl_images.py.
constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

kernel void copy_2d(read_only image2d_t from, write_only image2d_t to) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, exact, p));
}

kernel void integers_2d(read_only image2d_t from, write_only image2d_t to, int add) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagei(to, p, read_imagei(from, exact, p) + add);
}

kernel void sample_1d(read_only image1d_t from, sampler_t s, global float4* out, float scale, float bias) {
  int x = get_global_id(0);
  out[x] = read_imagef(from, s, x * scale + bias);
}

kernel void sample_2d(read_only image2d_t from, sampler_t s, write_only image2d_t to, float2 scale, float2 bias) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, s, (float2)(p.x, p.y) * scale + bias));
}

kernel void sample_bordered(read_only image2d_t from, global float4* out, float2 scale, float2 bias) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  out[p.y * get_global_size(0) + p.x] = read_imagef(from, bordered, (float2)(p.x, p.y) * scale + bias);
}

kernel void sample_3d(read_only image3d_t from, sampler_t s, global float4* out, float4 scale, float4 bias) {
  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  out[(p.z * get_global_size(1) + p.y) * get_global_size(0) + p.x] = read_imagef(from, s, convert_float4(p) * scale + bias);
}

kernel void sample_2d_array(read_only image2d_array_t from, sampler_t s, write_only image2d_array_t to, float2 scale, float2 bias, float layer_step) {
  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  write_imagef(to, p, read_imagef(from, s, (float4)((float)p.x * scale.x + bias.x, (float)p.y * scale.y + bias.y, p.z * layer_step, 0)));
}

kernel void copy_1d_array(read_only image1d_array_t from, write_only image1d_array_t to) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, exact, p));
}

kernel void texels_of_buffer(read_only image1d_buffer_t from, write_only image1d_buffer_t to) {
  int x = get_global_id(0);
  write_imagef(to, x, read_imagef(from, x).wzyx);
}

kernel void queries(read_only image2d_t a, read_only image3d_t b, read_only image2d_array_t c, read_only image1d_buffer_t d, global int* out) {
  out[0] = get_image_width(a);
  out[1] = get_image_height(a);
  out[2] = get_image_channel_data_type(a);
  out[3] = get_image_channel_order(a);
  out[4] = get_image_width(b);
  out[5] = get_image_height(b);
  out[6] = get_image_depth(b);
  out[7] = get_image_channel_data_type(b);
  out[8] = get_image_width(c);
  out[9] = get_image_array_size(c);
  out[10] = get_image_channel_order(c);
  out[11] = get_image_width(d);
}
