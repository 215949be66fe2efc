// An instruction of a compiled program (HLO), as far as it tells names and costs.
#pragma once

#include <cstdint>
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
};

// xla_data.proto's PrimitiveType. Types of under a byte count as one.
int64_t BytesOfType(uint64_t type);

double ElementsOf(const HloShape& shape);
double BytesOf(const HloShape& shape);  // of all parts

struct HloInstruction {
  std::string_view name, opcode, op_name, target, config;
  int64_t id = 0;
  HloShape shape;
  double bytes = 0;  // of the shape: others that take it as operand count it too
  std::vector<int64_t> operands, called, contracting;
  std::vector<int64_t> window;  // sizes of a convolution's kernel
  int64_t input_feature = -1;   // dimension of the kernel
  ReplicaGroups groups;         // of a collective
  bool is_dot = false;
  bool is_convolution = false;
};

// Reads an HloInstructionProto; the views are into `message`.
HloInstruction ReadInstruction(std::string_view message);

}  // namespace stepscope
