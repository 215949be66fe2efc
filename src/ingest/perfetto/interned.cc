// Reads InternedData.
#include "ingest/perfetto/interned.h"

#include <array>
#include <utility>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"

namespace stepscope::perfetto {
namespace {

struct Entry {
  uint64_t iid = 0;
  std::string_view text;
};

Entry EntryOf(std::string_view message) {
  Entry entry;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kIid):
        entry.iid = field.get_uint64();
        break;
      case BytesField(kInternedText):
      case BytesField(kDemangled):  // of a kernel; field 3 of others is a description or a number
        if (entry.text.empty() || field.tag() == kInternedText)
          entry.text = field.get_view();
        else
          field.skip();
        break;
      default:
        field.skip();
    }
  });
  return entry;
}

// Of rocprofv3 (source/lib/rocprofiler-sdk-tool/generatePerfetto.cpp) and of xpu_timer
// (py_xpu_timer/gen_trace_timeline.py).
constexpr auto kOthers = std::to_array<std::pair<std::string_view, CategoryMeaning>>({
    {"kernel_dispatch", {Kind::kCompute, NameDecides::kCommunication}},
    {"memory_copy", {Kind::kMemcpy}},
    {"hip_api", {Kind::kRuntime}},
    {"hsa_api", {Kind::kRuntime}},
    {"marker_api", {Kind::kAnnotation}},
    {"rccl_api", {Kind::kAnnotation}},
    {"matmul", {Kind::kCompute, NameDecides::kCommunication}},
    {"nccl", {Kind::kCommunication}},
    {"device_memory", {Kind::kMemcpy}},
    {"host_memory", {Kind::kAnnotation}},
    {"host", {Kind::kAnnotation}},
});

}  // namespace

CategoryMeaning MeaningInPerfetto(std::string_view category) {
  const CategoryMeaning meaning = MeaningOfCategory(category);
  if (meaning.kind != Kind::kUnknown) return meaning;
  const auto* other =
      std::ranges::find(kOthers, category, &std::pair<std::string_view, CategoryMeaning>::first);
  return other == kOthers.end() ? meaning : other->second;
}

void Interned::Take(std::string_view data, StringTable& strings) {
  const auto take = [&](pbf_reader& field, NumberedTable<StringId>& table) {
    const Entry entry = EntryOf(field.get_view());
    table.Set(entry.iid, strings.Intern(entry.text));
  };
  ReadFields(data, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(kCategories): {
        const Entry entry = EntryOf(field.get_view());
        categories.Set(entry.iid, {strings.Intern(entry.text), MeaningInPerfetto(entry.text)});
        break;
      }
      case BytesField(kAnnotationNames): {
        const Entry entry = EntryOf(field.get_view());
        annotation_names.Set(entry.iid, {strings.Intern(entry.text), UseOfArg(entry.text)});
        break;
      }
      case BytesField(kNames):
        take(field, names);
        break;
      case BytesField(kAnnotationTexts):
        take(field, texts);
        break;
      case BytesField(kGpuSpecifications):
        take(field, stages);
        break;
      case BytesField(kComputeKernels):
        take(field, kernels);
        break;
      case BytesField(kComputeArgNames):
        take(field, launch_args);
        break;
      default:
        field.skip();
    }
  });
}

void Interned::Clear() {
  categories.Clear();
  annotation_names.Clear();
  for (NumberedTable<StringId>* table : {&names, &texts, &stages, &kernels, &launch_args})
    table->Clear();
}

}  // namespace stepscope::perfetto
