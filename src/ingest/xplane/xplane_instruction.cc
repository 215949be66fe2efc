// Reads instructions. Field numbers are those of hlo.proto and xla_data.proto.
#include "ingest/xplane/xplane_instruction.h"

#include <algorithm>
#include <iterator>

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

// OpMetadata: 2 op_name, 3 source_file, 4 source_line, 15 stack_frame_id.
void TakeMetadata(std::string_view message, HloInstruction& in) {
  ReadFields(message, [&](pbf_reader& f) {
    switch (f.tag_and_type()) {
      case BytesField(2):
        in.op_name = f.get_view();
        break;
      case BytesField(3):
        in.source_file = f.get_view();
        break;
      case VarintField(4):
        in.source_line = f.get_int32();
        break;
      case VarintField(15):
        in.stack_frame = f.get_int32();
        break;
      default:
        f.skip();
    }
  });
}

// WindowDimension: 1 size, 2 stride, 3 padding_low, 4 padding_high, 5 window_dilation,
// 6 base_dilation. What is left out is 0 in the message, but 1 of strides and dilations.
HloWindow ReadWindow(std::string_view message) {
  HloWindow window;
  ReadFields(message, [&](pbf_reader& f) {
    if (f.wire_type() != WireType::varint || f.tag() > 6) return f.skip();
    int64_t* const parts[] = {&window.size,         &window.stride,   &window.padding_low,
                              &window.padding_high, &window.dilation, &window.base_dilation};
    *parts[f.tag() - 1] = f.get_int64();
  });
  window.size = std::max<int64_t>(window.size, 0);
  for (int64_t* step : {&window.stride, &window.dilation, &window.base_dilation})
    *step = std::max<int64_t>(*step, 1);
  return window;
}

// ConvolutionDimensionNumbers: 3 kernel_input_feature, 4 kernel_output_feature, 6 kernel_spatial,
// 7 input_batch, 8 input_feature, 9 output_batch, 10 output_feature, 11 input_spatial,
// 12 output_spatial.
void TakeDimensions(std::string_view message, ConvolutionDimensions& of) {
  ReadFields(message, [&](pbf_reader& f) {
    if (f.tag() == 6) return TakeNumbers(f, of.kernel_spatial);
    if (f.tag() == 11) return TakeNumbers(f, of.input_spatial);
    if (f.tag() == 12) return TakeNumbers(f, of.output_spatial);
    if (f.wire_type() != WireType::varint) return f.skip();
    switch (f.tag()) {
      case 3:
        of.kernel_input_feature = f.get_int64();
        break;
      case 4:
        of.kernel_output_feature = f.get_int64();
        break;
      case 7:
        of.input_batch = f.get_int64();
        break;
      case 8:
        of.input_feature = f.get_int64();
        break;
      case 9:
        of.output_batch = f.get_int64();
        break;
      case 10:
        of.output_feature = f.get_int64();
        break;
      default:
        f.skip();
    }
  });
}

// The fields of an instruction that are messages of their own.
void TakeMessage(pbf_reader& field, HloInstruction& in) {
  switch (field.tag_and_type()) {
    case BytesField(3):
      in.shape = ReadShape(field.get_view());
      in.bytes = BytesOf(in.shape);
      break;
    case BytesField(7):
      TakeMetadata(field.get_view(), in);
      break;
    case BytesField(15):  // Window: 1 dimensions
      ForEachField(BytesField(1), field.get_view(), [&](pbf_reader& dimension) {
        in.window.push_back(ReadWindow(dimension.get_view()));
      });
      break;
    case BytesField(16):
      in.is_convolution = true;
      TakeDimensions(field.get_view(), in.convolution);
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

std::string_view NameOfType(uint64_t type) {
  constexpr std::string_view kNames[] = {
      "?",          "pred",       "s8",       "s16",       "s32",    "s64",
      "u8",         "u16",        "u32",      "u64",       "f16",    "f32",
      "f64",        "tuple",      "opaque",   "c64",       "bf16",   "token",
      "c128",       "f8e5m2",     "f8e4m3fn", "s4",        "u4",     "f8e4m3b11fnuz",
      "f8e5m2fnuz", "f8e4m3fnuz", "s2",       "u2",        "f8e4m3", "f8e3m4",
      "s1",         "u1",         "f4e2m1fn", "f8e8m0fnu", "buffer"};
  return type < std::size(kNames) ? kNames[type] : kNames[0];
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

std::string TextOf(const HloShape& shape) {
  constexpr size_t kLongest = 80;
  std::string text;
  if (!shape.parts.empty()) {
    for (const HloShape& part : shape.parts) {
      if (text.size() > kLongest) return "(" + text + ", ...)";
      text += (text.empty() ? "" : ", ") + TextOf(part);
    }
    return "(" + text + ")";
  }
  text = NameOfType(shape.type);
  text += '[';
  for (size_t i = 0; i < shape.dimensions.size() && text.size() <= kLongest; ++i)
    text += (i == 0 ? "" : ",") + std::to_string(shape.dimensions[i]);
  return text + "]";
}

HloInstruction ReadInstruction(std::string_view message) {
  HloInstruction in;
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag() == 36) return TakeNumbers(field, in.operands);
    if (field.tag() == 38) return TakeNumbers(field, in.called);
    if (field.tag() == 32) return TakeNumbers(field, in.fft_lengths);
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
      case VarintField(9):
        in.parameter = field.get_int64();
        break;
      case VarintField(50):
        in.convolution.feature_groups = std::max<int64_t>(field.get_int64(), 1);
        break;
      case VarintField(58):
        in.convolution.batch_groups = std::max<int64_t>(field.get_int64(), 1);
        break;
      default:
        TakeMessage(field, in);
        break;
    }
  });
  return in;
}

}  // namespace stepscope
