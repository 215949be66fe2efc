// Reads instructions. Field numbers are those of hlo.proto and xla_data.proto.
#include "ingest/xplane/xplane_instruction.h"

#include <algorithm>

#include "base/proto.h"

namespace stepscope {
namespace {

constexpr int kDeepestTuple = 16;
// ShapeProto: 2 element_type, 3 dimensions, 4 tuple_shapes.
HloShape ReadShape(std::string_view message, int depth = 0) {
  HloShape shape;
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag() == 3) return TakeNumbers(field, shape.dimensions);
    if (field.tag_and_type() == VarintField(2)) {
      shape.type = field.get_uint64();
      shape.element_bytes = BytesOfType(shape.type);
    } else if (field.tag_and_type() == BytesField(4) && depth < kDeepestTuple) {
      shape.parts.push_back(ReadShape(field.get_view(), depth + 1));
    } else {
      field.skip();
    }
  });
  for (int64_t& size : shape.dimensions) size = std::max<int64_t>(size, 0);
  return shape;
}

// The fields of an instruction that are messages of their own.
void TakeMessage(pbf_reader& field, HloInstruction& in) {
  switch (field.tag_and_type()) {
    case BytesField(3):
      in.shape = ReadShape(field.get_view());
      in.bytes = BytesOf(in.shape);
      break;
    case BytesField(7):  // OpMetadata: 2 op_name
      ForEachField(BytesField(2), field.get_view(),
                   [&](pbf_reader& f) { in.op_name = f.get_view(); });
      break;
    case BytesField(15):  // Window: 1 dimensions, of which 1 size
      ForEachField(BytesField(1), field.get_view(), [&](pbf_reader& dimension) {
        ForEachField(VarintField(1), dimension.get_view(), [&](pbf_reader& f) {
          in.window.push_back(std::max<int64_t>(f.get_int64(), 0));
        });
      });
      break;
    case BytesField(16):  // ConvolutionDimensionNumbers: 3 kernel_input_feature_dimension
      in.is_convolution = true;
      in.input_feature = 0;
      ForEachField(VarintField(3), field.get_view(),
                   [&](pbf_reader& f) { in.input_feature = f.get_int64(); });
      break;
    case BytesField(30):  // DotDimensionNumbers: 1 lhs_contracting_dimensions
      in.is_dot = true;
      ReadFields(field.get_view(), [&](pbf_reader& f) {
        if (f.tag() != 1) return f.skip();
        TakeNumbers(f, in.contracting);
      });
      break;
    case BytesField(49):
      ReadReplicaGroup(field.get_view(), in.groups);
      break;
    case BytesField(87):
      ReadDeviceList(field.get_view(), in.groups);
      break;
    default:
      field.skip();
  }
}

}  // namespace

int64_t BytesOfType(uint64_t type) {
  switch (type) {
    case 4:   // S32
    case 8:   // U32
    case 11:  // F32
      return 4;
    case 3:   // S16
    case 7:   // U16
    case 10:  // F16
    case 16:  // BF16
      return 2;
    case 5:   // S64
    case 9:   // U64
    case 12:  // F64
    case 15:  // C64
      return 8;
    case 18:  // C128
      return 16;
    case 13:  // TUPLE
    case 14:  // OPAQUE
    case 17:  // TOKEN
      return 0;
    default:
      return 1;
  }
}

double ElementsOf(const HloShape& shape) {
  double elements = 1;
  for (const int64_t size : shape.dimensions) elements *= static_cast<double>(size);
  return elements;
}

double BytesOf(const HloShape& shape) {
  double bytes =
      shape.element_bytes > 0 ? ElementsOf(shape) * static_cast<double>(shape.element_bytes) : 0;
  for (const HloShape& part : shape.parts) bytes += BytesOf(part);
  return bytes;
}

HloInstruction ReadInstruction(std::string_view message) {
  HloInstruction in;
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag() == 36) return TakeNumbers(field, in.operands);
    if (field.tag() == 38) return TakeNumbers(field, in.called);
    switch (field.tag_and_type()) {
      case BytesField(1):
        in.name = field.get_view();
        break;
      case BytesField(2):
        in.opcode = field.get_view();
        break;
      case BytesField(28):
        in.target = field.get_view();
        break;
      case BytesField(43):
        in.config = field.get_view();
        break;
      case VarintField(35):
        in.id = field.get_int64();
        break;
      default:
        TakeMessage(field, in);
        break;
    }
  });
  return in;
}

}  // namespace stepscope
