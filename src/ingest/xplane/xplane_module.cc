// Reads modules. Field numbers are those of hlo.proto.
#include "ingest/xplane/xplane_module.h"

#include <algorithm>

#include "base/proto.h"

namespace stepscope {

void HloIds::Sort() { std::ranges::stable_sort(sorted_, {}, &std::pair<int64_t, uint32_t>::first); }

int64_t HloIds::Find(int64_t id) const {
  // Numbers of most files count up, one by one.
  const auto at = std::ranges::lower_bound(sorted_, id, {}, &std::pair<int64_t, uint32_t>::first);
  return at == sorted_.end() || at->first != id ? -1 : int64_t{at->second};
}

const HloInstruction* HloComputation::Operand(const HloInstruction& of, size_t operand) const {
  if (operand >= of.operands.size()) return nullptr;
  const int64_t at = ids.Find(of.operands[operand]);
  return at < 0 ? nullptr : &instructions[static_cast<size_t>(at)];
}

// StackFrameIndexProto: 1 file_names, 3 file_locations (1 file_name_id, 3 line), 4 stack_frames
// (1 file_location_id).
void HloFrames::Read(std::string_view message) {
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(1):
        files.push_back(field.get_view());
        break;
      case BytesField(3): {
        Location& location = locations.emplace_back();
        ReadFields(field.get_view(), [&](pbf_reader& f) {
          if (f.tag_and_type() == VarintField(1))
            location.file = f.get_int32();
          else if (f.tag_and_type() == VarintField(3))
            location.line = f.get_int32();
          else
            f.skip();
        });
        break;
      }
      case BytesField(4):
        frames.push_back(0);
        ForEachField(VarintField(1), field.get_view(),
                     [&](pbf_reader& f) { frames.back() = f.get_int32(); });
        break;
      default:
        field.skip();
    }
  });
}

// HloModuleProto: 3 computations, 6 entry_computation_id, 17 stack_frame_index.
HloModule::HloModule(std::string_view message) {
  ok_ = ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(3):
        AddComputation(field.get_view());
        break;
      case VarintField(6):
        entry_ = field.get_int64();
        break;
      case BytesField(17):
        frames_.Read(field.get_view());
        break;
      default:
        field.skip();
    }
  });
  ids_.Sort();
}

// HloComputationProto: 2 instructions, 5 id, 6 root_id.
void HloModule::AddComputation(std::string_view message) {
  HloComputation& computation = computations_.emplace_back();
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(2):
        computation.instructions.push_back(ReadInstruction(field.get_view()));
        break;
      case VarintField(5):
        computation.id = field.get_int64();
        break;
      case VarintField(6):
        computation.root = field.get_int64();
        break;
      default:
        field.skip();
    }
  });
  for (const HloInstruction& in : computation.instructions) computation.ids.Add(in.id);
  computation.ids.Sort();
  ids_.Add(computation.id);
}

// Without a name of its own, the last one.
const HloComputation* HloModule::Entry() const {
  const int64_t at = Find(entry_);
  if (at >= 0) return &computations_[static_cast<size_t>(at)];
  return computations_.empty() ? nullptr : &computations_.back();
}

std::string HloModule::SourceOf(const HloInstruction& in) const {
  const auto at = [](const auto& list, int64_t number) {
    const bool there = number > 0 && number <= std::ssize(list);
    return there ? &list[static_cast<size_t>(number - 1)] : nullptr;
  };
  std::string_view file = in.source_file;
  int64_t line = in.source_line;
  if (const int64_t* frame = at(frames_.frames, in.stack_frame)) {
    if (const HloFrames::Location* location = at(frames_.locations, *frame)) {
      if (const std::string_view* name = at(frames_.files, location->file)) {
        file = *name;
        line = location->line;
      }
    }
  }
  if (file.empty()) return {};
  return line > 0 ? std::string(file) + ":" + std::to_string(line) : std::string(file);
}

}  // namespace stepscope
