// Reads a buffer assignment. Field numbers are those of hlo.proto.
#include "ingest/xplane/xplane_buffer_plan.h"

#include <algorithm>

#include "base/proto.h"

namespace stepscope {
namespace {

int64_t SizeOf(pbf_reader& field) { return std::max<int64_t>(field.get_int64(), 0); }

// LogicalBufferProto: 1 id, 2 size, 3 defined_at (2 instruction_name, 3 shape_index, 4
// instruction_id), 4 color.
void AddBuffer(std::string_view message, HloBufferPlan& plan) {
  int64_t id = 0;
  HloBuffer buffer;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(1):
        id = field.get_int64();
        break;
      case VarintField(2):
        buffer.bytes = SizeOf(field);
        break;
      case VarintField(4):
        buffer.space = field.get_int64();
        break;
      case BytesField(3):
        ReadFields(field.get_view(), [&](pbf_reader& f) {
          if (f.tag() == 3) return TakeNumbers(f, buffer.part);
          if (f.tag_and_type() == BytesField(2))
            buffer.instruction_name = f.get_view();
          else if (f.tag_and_type() == VarintField(4))
            buffer.instruction = f.get_int64();
          else
            f.skip();
        });
        break;
      default:
        field.skip();
    }
  });
  plan.buffers[id] = std::move(buffer);
}

HloAllocation::Assigned ReadAssigned(std::string_view message) {
  HloAllocation::Assigned assigned;
  ReadFields(message, [&](pbf_reader& f) {
    switch (f.tag_and_type()) {
      case VarintField(1):
        assigned.buffer = f.get_int64();
        break;
      case VarintField(2):
        assigned.offset = SizeOf(f);
        break;
      case VarintField(3):
        assigned.bytes = SizeOf(f);
        break;
      default:
        f.skip();
    }
  });
  return assigned;
}

// BufferAllocationProto: 2 size, 3 is_thread_local, 5 is_entry_computation_parameter,
// 7 maybe_live_out, 8 color, 9 assigned (1 logical_buffer_id, 2 offset, 3 size), 12 is_constant,
// 13 is_parameter_aliased_with_output.
HloAllocation ReadAllocation(std::string_view message) {
  HloAllocation allocation;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(2):
        allocation.bytes = SizeOf(field);
        break;
      case VarintField(3):
        allocation.of_thread = field.get_bool();
        break;
      case VarintField(5):
        allocation.argument = field.get_bool();
        break;
      case VarintField(7):
      case VarintField(13):
        allocation.output = field.get_bool() || allocation.output;
        break;
      case VarintField(8):
        allocation.space = field.get_int64();
        break;
      case VarintField(12):
        allocation.constant = field.get_bool();
        break;
      case BytesField(9):
        allocation.assigned.push_back(ReadAssigned(field.get_view()));
        break;
      default:
        field.skip();
    }
  });
  return allocation;
}

// HeapSimulatorTrace: 1 events (1 kind, 2 buffer_id, 4 instruction_name, 5
// share_with_canonical_id).
std::vector<HloLifetime> ReadSchedule(std::string_view message) {
  std::vector<HloLifetime> schedule;
  ForEachField(BytesField(1), message, [&](pbf_reader& event) {
    HloLifetime& change = schedule.emplace_back();
    ReadFields(event.get_view(), [&](pbf_reader& f) {
      switch (f.tag_and_type()) {
        case VarintField(1):
          change.kind = f.get_uint64();
          break;
        case VarintField(2):
          change.buffer = f.get_int64();
          break;
        case BytesField(4):
          change.instruction = f.get_view();
          break;
        case VarintField(5):
          change.shares = f.get_int64();
          break;
        default:
          f.skip();
      }
    });
  });
  return schedule;
}

}  // namespace

// BufferAssignmentProto: 1 logical_buffers, 3 buffer_allocations, 4 heap_simulator_traces.
HloBufferPlan ReadBufferPlan(std::string_view message) {
  HloBufferPlan plan;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(1):
        AddBuffer(field.get_view(), plan);
        break;
      case BytesField(3):
        plan.allocations.push_back(ReadAllocation(field.get_view()));
        break;
      case BytesField(4):
        plan.schedules.push_back(ReadSchedule(field.get_view()));
        break;
      default:
        field.skip();
    }
  });
  return plan;
}

}  // namespace stepscope
