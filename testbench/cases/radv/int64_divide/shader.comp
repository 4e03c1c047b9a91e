#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x=64) in;
layout(set=0,binding=0) readonly buffer B0 { uint64_t x[]; };
layout(set=0,binding=1) writeonly buffer B1 { uint64_t o[]; };
void main(){ uint g=gl_GlobalInvocationID.x;
uint64_t a=x[g]; int64_t s=int64_t(a);
  o[g*12u+0u]=a/65ul;
  o[g*12u+1u]=a%65ul;
  o[g*12u+2u]=uint64_t(s/65l);
  o[g*12u+3u]=uint64_t(s-(s/65l)*65l);
  o[g*12u+4u]=a/719064453ul;
  o[g*12u+5u]=a%719064453ul;
  o[g*12u+6u]=uint64_t(s/719064453l);
  o[g*12u+7u]=uint64_t(s-(s/719064453l)*719064453l);
  o[g*12u+8u]=a/2181038081ul;
  o[g*12u+9u]=a%2181038081ul;
  o[g*12u+10u]=uint64_t(s/2181038081l);
  o[g*12u+11u]=uint64_t(s-(s/2181038081l)*2181038081l);
}
