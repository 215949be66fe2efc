// Implements messages of Chakra's schema.
#include "export/chakra_message.h"

#include "base/proto.h"

namespace stepscope::chakra {
namespace {

constexpr std::string_view kVersion = "0.0.4";  // of the schema

enum MetadataField : uint32_t { kMetadataVersion = 1, kMetadataAttribute = 2 };
enum NodeField : uint32_t {
  kId = 1,
  kName = 2,
  kType = 3,
  kCtrlDeps = 4,
  kDataDeps = 5,
  kStart = 6,
  kDuration = 7,
  kInputs = 8,
  kAttribute = 10,
};
enum InputsField : uint32_t { kValues = 1, kShapes = 2, kTypes = 3 };
enum AttributeField : uint32_t {
  kAttributeName = 1,
  kInt32 = 7,
  kInt64 = 9,
  kBool = 27,
  kText = 29,
};

void AddAttribute(pbf_writer& message, uint32_t field, const Attribute& of) {
  pbf_writer attribute(message, field);
  attribute.add_string(kAttributeName, of.name);
  switch (of.type) {
    case Attribute::Type::kInt64:
      return attribute.add_int64(kInt64, of.number);
    case Attribute::Type::kInt32:
      return attribute.add_int32(kInt32, static_cast<int32_t>(of.number));
    case Attribute::Type::kBool:
      return attribute.add_bool(kBool, of.number != 0);
    case Attribute::Type::kText:
      return attribute.add_string(kText, of.text);
  }
}

void AddText(pbf_writer& message, uint32_t field, std::string_view text) {
  if (!text.empty()) message.add_string(field, text);
}

void AppendWithLength(std::string& out, std::string_view message) {
  AppendVarint(out, message.size());
  out += message;
}

}  // namespace

void AppendMetadata(std::string& out, std::span<const Attribute> attributes) {
  std::string message;
  pbf_writer metadata(message);
  AddText(metadata, kMetadataVersion, kVersion);
  for (const Attribute& attribute : attributes)
    AddAttribute(metadata, kMetadataAttribute, attribute);
  AppendWithLength(out, message);
}

void AppendNode(std::string& out, const Node& node) {
  std::string message;
  pbf_writer writer(message);
  writer.add_uint64(kId, node.id);
  AddText(writer, kName, node.name);
  writer.add_enum(kType, static_cast<int32_t>(node.type));
  writer.add_packed_uint64(kCtrlDeps, node.ctrl_deps.begin(), node.ctrl_deps.end());
  writer.add_packed_uint64(kDataDeps, node.data_deps.begin(), node.data_deps.end());
  writer.add_uint64(kStart, node.start);
  writer.add_uint64(kDuration, node.duration);
  if (!node.shapes.empty()) {
    pbf_writer inputs(writer, kInputs);
    AddText(inputs, kValues, node.values);
    AddText(inputs, kShapes, node.shapes);
    AddText(inputs, kTypes, node.types);
  }
  for (const Attribute& attribute : node.attributes) AddAttribute(writer, kAttribute, attribute);
  AppendWithLength(out, message);
}

}  // namespace stepscope::chakra
