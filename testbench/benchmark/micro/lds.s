// SPDX-License-Identifier: Apache-2.0
// Rates of LDS and GDS instructions; v4 is the address of each lane.
rate lds_read_b32, 256, 24, ds_read_b32 v8, v4
rate lds_read_u8, 256, 24, ds_read_u8 v8, v4
rate lds_read_u16, 256, 24, ds_read_u16 v8, v4
rate lds_swizzle, 256, 24, ds_swizzle_b32 v8, v4 offset:swizzle(SWAP,1)
rate lds_read_b64, 256, 24, ds_read_b64 v[8:9], v4
rate lds_read2_b32, 256, 24, ds_read2_b32 v[8:9], v4 offset1:64
rate lds_read_b96, 256, 24, ds_read_b96 v[8:10], v4
rate lds_read_b128, 256, 24, ds_read_b128 v[8:11], v4
rate lds_read2_b64, 256, 24, ds_read2_b64 v[8:11], v4 offset1:64
rate lds_write_b8, 256, 24, ds_write_b8 v4, v8
rate lds_write_b16, 256, 24, ds_write_b16 v4, v8
rate lds_write_b32, 256, 24, ds_write_b32 v4, v8
rate lds_write_b64, 256, 24, ds_write_b64 v4, v[8:9]
rate lds_write2_b32, 256, 24, ds_write2_b32 v4, v8, v9 offset1:64
rate lds_write_b96, 256, 24, ds_write_b96 v4, v[8:10]
rate lds_write_b128, 256, 24, ds_write_b128 v4, v[8:11]
rate lds_write2_b64, 256, 24, ds_write2_b64 v4, v[8:9], v[10:11] offset1:64
rate lds_add_u32, 256, 24, ds_add_u32 v4, v8
rate lds_add_rtn_u32, 256, 24, ds_add_rtn_u32 v9, v4, v8
rate lds_add_u64, 256, 24, ds_add_u64 v4, v[8:9]
rate lds_add_rtn_u64, 256, 24, ds_add_rtn_u64 v[10:11], v4, v[8:9]
rate lds_cmpst_b32, 256, 24, ds_cmpst_b32 v4, v8, v9
rate lds_mskor_b32, 256, 24, ds_mskor_b32 v4, v8, v9
rate lds_cmpst_b64, 256, 24, ds_cmpst_b64 v4, v[8:9], v[10:11]
rate lds_mskor_b64, 256, 24, ds_mskor_b64 v4, v[8:9], v[10:11]
rate lds_wrxchg2_b32, 256, 24, ds_wrxchg2_rtn_b32 v[8:9], v4, v10, v11 offset1:64
rate lds_wrxchg2_b64, 256, 24, ds_wrxchg2_rtn_b64 v[8:11], v4, v[12:13], v[14:15] offset1:64
rate lds_bpermute, 256, 24, ds_bpermute_b32 v8, v4, v9
rate gds_read_b32, 16, 24, ds_read_b32 v8, v4 gds
