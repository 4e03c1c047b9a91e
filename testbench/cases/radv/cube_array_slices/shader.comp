#version 450
layout(local_size_x=64) in;
layout(set=0,binding=0) uniform samplerCubeArray t0;
layout(set=0,binding=1) readonly buffer I { vec4 i[]; };
layout(set=0,binding=2) writeonly buffer O { vec4 o[]; };
void main(){
  uint g=gl_GlobalInvocationID.x; vec4 a=i[2*g];
  o[g*2+0]=textureLod(t0,a,0.0);
  o[g*2+1]=textureGather(t0,a,1);
}
