// SPDX-License-Identifier: Apache-2.0
// A job's images in device memory: initial texels, texels read back, descriptors.
#pragma once
#include "dispatch/device_memory.h"
#include "dispatch/image_job.h"

namespace lyra::dispatch {

/// The host form of an image's initial texels; empty: all zero. Throws observe::input_error where its file cannot be read.
std::vector<uint8_t> initial_texels(const image_spec& s);
/// Writes the initial texels to the image at `address`.
void load_image(const image_spec& s, device_memory& memory, uint64_t address);
/// The host form of the image at `address`, all levels.
std::vector<uint8_t> read_image(const image_spec& s, device_memory& memory, uint64_t address);

/// What image and sampler arguments of OpenCL kernels point to, as the ROCm device libraries read them: the T# (or V#), channel type, channel
/// order and width of the image behind it; the S#.
constexpr uint64_t image_object_bytes = 64, sampler_object_bytes = 32;
std::array<uint32_t, 16> image_object(const image_spec& s, uint64_t address);
std::array<uint32_t, 8> sampler_object(const sampler_spec& s);
/// V# of a plain buffer: bytes, unstructured.
std::array<uint32_t, 4> buffer_descriptor_words(uint64_t address, uint64_t bytes);

} // namespace lyra::dispatch
