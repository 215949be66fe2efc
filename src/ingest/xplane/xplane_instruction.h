// An instruction of a compiled program (HLO), as far as it tells names and costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/xplane/xplane_collectives.h"

namespace stepscope {

// An array's shape. Sizes are capped so that products of hostile dimensions stay numbers.
struct HloShape {
  uint64_t type = 0;  // PrimitiveType
  int64_t element_bytes = 0;
  std::vector<int64_t> dimensions;
  std::vector<HloShape> parts;  // of a tuple

  // 1 where there is no such dimension.
  int64_t SizeAt(int64_t dimension) const {
    const bool there = dimension >= 0 && dimension < std::ssize(dimensions);
    return there ? dimensions[static_cast<size_t>(dimension)] : 1;
  }
};

// xla_data.proto's PrimitiveType. Types of under a byte count as one.
int64_t BytesOfType(uint64_t type);

// "bf16"; "?" of a type that is not known.
std::string_view NameOfType(uint64_t type);

double ElementsOf(const HloShape& shape);
double BytesOf(const HloShape& shape);  // of all parts
// "bf16[4096,1024]"; "(f32[2], s32[])" of a tuple, of which large ones are cut.
std::string TextOf(const HloShape& shape);

// A dimension of a window that moves over an array.
struct HloWindow {
  int64_t size = 0, stride = 1, padding_low = 0, padding_high = 0;
  int64_t dilation = 1, base_dilation = 1;
};

// Which dimensions of its arrays a convolution takes for what.
struct ConvolutionDimensions {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0;
  int64_t output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
  int64_t feature_groups = 1, batch_groups = 1;
};

struct HloInstruction {
  std::string_view name, opcode, op_name, target, config;
  std::string_view source_file;
  int64_t source_line = 0;
  int64_t stack_frame = 0;  // from 1, in the module's table; 0: none
  int64_t id = 0;
  int64_t parameter = 0;
  HloShape shape;
  double bytes = 0;  // of the shape: others that take it as operand count it too
  std::vector<int64_t> operands, called, contracting, fft_lengths;
  std::vector<HloWindow> window;
  ConvolutionDimensions convolution;
  ReplicaGroups groups;  // of a collective
  bool is_dot = false;
  bool is_convolution = false;

  // Scratch memory that a library gets beside the result is no result.
  const HloShape& Result() const { return shape.parts.empty() ? shape : shape.parts.front(); }
};

// Reads an HloInstructionProto; the views are into `message`.
HloInstruction ReadInstruction(std::string_view message);

}  // namespace stepscope
