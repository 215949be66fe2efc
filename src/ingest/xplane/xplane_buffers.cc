// Finds the peak of a program's memory: what lasts as long as the program, and of the rest the most
// that overlaps in the compiler's schedule.
#include "ingest/xplane/xplane_buffers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/saturate.h"
#include "ingest/xplane/xplane_buffer_plan.h"

namespace stepscope {
namespace {

constexpr size_t kMostNamed = 256;  // buffers of a peak
constexpr int64_t kPointer = 8;     // bytes of a tuple's entry for each part

// A buffer at the peak.
struct Live {
  int64_t buffer = 0;
  int64_t bytes = 0;
  BufferUse use = BufferUse::kTemporary;
};

// Who uses the memory of a buffer: it, and those that share it.
struct Use {
  int64_t memory = 0;  // the buffer whose memory it is
  int64_t users = 0;   // of that memory, where it is this one's
  int64_t newest = 0;  // of the users
  bool known = false;
};

// Buffers of one allocation, as they begin and end.
class Lifetimes {
 public:
  Lifetimes(const HloBufferPlan& plan, int32_t allocation) : plan_(plan), allocation_(allocation) {}

  void Take(const HloLifetime& change) {
    const HloBuffer* buffer = plan_.buffers.Find(change.buffer);
    if (buffer == nullptr || buffer->allocation != allocation_) return;
    if (change.kind == HloLifetime::kEnds) return End(change.buffer);
    Use& own = Of(change.buffer);
    if (change.kind == HloLifetime::kShares && plan_.buffers.Find(change.shares) != nullptr)
      own.memory = Of(change.shares).memory;
    Begin(own.memory, change.buffer);
  }

  int64_t bytes() const { return bytes_; }

  std::vector<Live> Now() const {
    std::vector<Live> live;
    uses_.ForEach([&](const Use& use) {
      if (use.users > 0) live.push_back({use.newest, BytesOf(use.memory)});
    });
    return live;
  }

 private:
  Use& Of(int64_t buffer) {
    Use& use = uses_[buffer];
    if (!use.known) use = {.memory = buffer, .newest = buffer, .known = true};
    return use;
  }
  int64_t BytesOf(int64_t buffer) const { return plan_.buffers.Find(buffer)->bytes; }
  void Begin(int64_t memory, int64_t user) {
    Use& use = Of(memory);
    use.newest = user;
    if (use.users++ == 0) bytes_ = AddSaturated(bytes_, BytesOf(memory));
  }
  void End(int64_t buffer) {
    const int64_t memory = Of(buffer).memory;
    Use& use = Of(memory);
    if (use.users > 0 && --use.users == 0) bytes_ = std::max<int64_t>(bytes_ - BytesOf(memory), 0);
  }

  const HloBufferPlan& plan_;
  const int32_t allocation_;
  IdTable<Use> uses_;
  int64_t bytes_ = 0;
};

struct Peak {
  int64_t bytes = 0;
  std::string_view instruction;
  std::vector<Live> live;
};

Peak PeakOf(const HloBufferPlan& plan, int32_t allocation,
            const std::vector<HloLifetime>& schedule) {
  Peak peak;
  size_t events = 0;
  Lifetimes all(plan, allocation);
  for (size_t i = 0; i < schedule.size(); ++i) {
    all.Take(schedule[i]);
    if (all.bytes() <= peak.bytes) continue;
    peak.bytes = all.bytes();
    peak.instruction = schedule[i].instruction;
    events = i + 1;
  }
  Lifetimes until(plan, allocation);
  for (size_t i = 0; i < events; ++i) until.Take(schedule[i]);
  peak.live = until.Now();
  return peak;
}

// Where the compiler says nothing of times: the largest buffers that lie beside each other.
std::vector<Live> Largest(const HloAllocation& allocation) {
  std::vector<HloAllocation::Assigned> assigned = allocation.assigned;
  std::ranges::sort(assigned, {},
                    [](const auto& a) { return std::tuple(-a.bytes, a.offset, a.buffer); });
  std::map<int64_t, int64_t> taken;  // the end of each stretch, by its begin
  std::vector<Live> live;
  for (const auto& a : assigned) {
    const int64_t end = AddSaturated(a.offset, a.bytes);
    const auto next = taken.lower_bound(a.offset);
    const bool before = next != taken.begin() && std::prev(next)->second > a.offset;
    const bool after = next != taken.end() && next->first < end;
    if (a.bytes == 0 || end > allocation.bytes || before || after) continue;
    taken.emplace_hint(next, a.offset, end);
    live.push_back({a.buffer, a.bytes});
  }
  return live;
}

BufferUse UseOf(const HloAllocation& allocation) {
  if (allocation.argument) return BufferUse::kArgument;
  if (allocation.output) return BufferUse::kOutput;
  return allocation.constant ? BufferUse::kConstant : BufferUse::kTemporary;
}

// Instructions of all computations, by number or, in older files, by name.
class Instructions {
 public:
  explicit Instructions(const HloModule& module) {
    for (const HloComputation& computation : module.computations()) {
      for (const HloInstruction& in : computation.instructions) {
        ids_.Add(in.id);
        all_.push_back(&in);
      }
    }
    ids_.Sort();
  }
  const HloInstruction* Of(const HloBuffer& buffer) {
    if (!buffer.instruction_name.empty()) return Named(buffer.instruction_name);
    const int64_t at = ids_.Find(buffer.instruction);
    return at < 0 ? nullptr : all_[static_cast<size_t>(at)];
  }

 private:
  const HloInstruction* Named(std::string_view name) {
    if (names_.empty()) {
      for (const HloInstruction* in : all_) names_.emplace(in->name, in);
    }
    const auto at = names_.find(name);
    return at == names_.end() ? nullptr : at->second;
  }

  HloIds ids_;
  std::vector<const HloInstruction*> all_;
  std::unordered_map<std::string_view, const HloInstruction*> names_;
};

const HloShape* PartOf(const HloShape& shape, const std::vector<int64_t>& way) {
  const HloShape* part = &shape;
  for (const int64_t i : way) {
    if (i < 0 || i >= std::ssize(part->parts)) return nullptr;
    part = &part->parts[static_cast<size_t>(i)];
  }
  return part;
}

class Planner {
 public:
  Planner(HloBufferPlan plan, const HloModule& module, StringTable& strings)
      : plan_(std::move(plan)), module_(module), strings_(strings), instructions_(module) {
    for (size_t a = 0; a < plan_.allocations.size(); ++a) {
      for (const auto& assigned : plan_.allocations[a].assigned) {
        if (plan_.buffers.Find(assigned.buffer) == nullptr) continue;
        HloBuffer& buffer = plan_.buffers[assigned.buffer];
        if (buffer.allocation < 0) buffer.allocation = static_cast<int32_t>(a);
      }
    }
    schedules_.resize(plan_.allocations.size());
    for (const auto& schedule : plan_.schedules) {
      const auto at = AllocationOf(schedule);
      if (at) schedules_[*at].push_back(&schedule);
    }
  }

  std::vector<ProgramMemory> Memory() {
    for (size_t a = 0; a < plan_.allocations.size(); ++a) {
      if (!plan_.allocations[a].of_thread) Add(a);
    }
    std::vector<ProgramMemory> all;
    for (auto& [space, draft] : spaces_) {
      draft.memory.space = space;
      NameBuffers(draft);
      all.push_back(std::move(draft.memory));
    }
    return all;
  }

 private:
  struct Draft {
    ProgramMemory memory;
    std::vector<Live> live;
    int64_t scheduled = 0;  // the peak of the allocation that tells `peak_at`
  };

  // Numbers of allocations in schedules are of an earlier state of the compiler: its buffers tell.
  std::optional<size_t> AllocationOf(const std::vector<HloLifetime>& schedule) const {
    for (const HloLifetime& change : schedule) {
      const HloBuffer* buffer = plan_.buffers.Find(change.buffer);
      if (buffer == nullptr || buffer->allocation < 0) continue;
      const HloAllocation& at = plan_.allocations[static_cast<size_t>(buffer->allocation)];
      if (UseOf(at) == BufferUse::kTemporary) return static_cast<size_t>(buffer->allocation);
    }
    return std::nullopt;
  }

  void Add(size_t number) {
    const HloAllocation& allocation = plan_.allocations[number];
    Draft& draft = spaces_[allocation.space];
    AddSizes(allocation, draft.memory);
    Peak peak{.bytes = allocation.bytes};
    if (schedules_[number].empty()) peak.live = Largest(allocation);
    for (size_t s = 0; s < schedules_[number].size(); ++s) {
      Peak of = PeakOf(plan_, static_cast<int32_t>(number), *schedules_[number][s]);
      of.bytes = std::min(of.bytes, allocation.bytes);
      if (s == 0 || of.bytes > peak.bytes) peak = std::move(of);
    }
    draft.memory.peak = AddSaturated(draft.memory.peak, peak.bytes);
    if (!peak.instruction.empty() && peak.bytes > draft.scheduled) {
      draft.scheduled = peak.bytes;
      draft.memory.peak_at = strings_.Intern(peak.instruction);
    }
    for (Live& live : peak.live) {
      live.use = UseOf(allocation);
      draft.live.push_back(live);
    }
  }

  static void AddSizes(const HloAllocation& allocation, ProgramMemory& memory) {
    const auto add = [&](int64_t& sum) { sum = AddSaturated(sum, allocation.bytes); };
    add(memory.allocated);
    if (allocation.argument) add(memory.arguments);
    if (allocation.output) add(memory.outputs);
    if (allocation.argument && allocation.output) add(memory.aliased);
    if (UseOf(allocation) == BufferUse::kConstant) add(memory.constants);
    if (UseOf(allocation) == BufferUse::kTemporary) add(memory.temporaries);
  }

  void NameBuffers(Draft& draft) {
    std::ranges::sort(draft.live, {}, [](const Live& l) { return std::pair(-l.bytes, l.buffer); });
    for (size_t i = 0; i < draft.live.size(); ++i) {
      if (i < kMostNamed) {
        draft.memory.at_peak.push_back(Named(draft.live[i]));
        continue;
      }
      ++draft.memory.more_buffers;
      draft.memory.more_bytes = AddSaturated(draft.memory.more_bytes, draft.live[i].bytes);
    }
  }

  ProgramBuffer Named(const Live& live) {
    ProgramBuffer named{.use = live.use, .bytes = live.bytes};
    const HloBuffer* buffer = plan_.buffers.Find(live.buffer);
    const HloInstruction* in = buffer == nullptr ? nullptr : instructions_.Of(*buffer);
    if (in == nullptr) return named;
    std::string name(in->name);
    for (size_t i = 0; i < buffer->part.size() && name.size() < 256; ++i)
      name += (i == 0 ? "{" : ",") + std::to_string(buffer->part[i]);
    if (!buffer->part.empty()) name += '}';
    named.instruction = strings_.Intern(name);
    const auto maybe = [&](std::string_view text) {
      return text.empty() ? kNoString : strings_.Intern(text);
    };
    named.framework_op = maybe(in->op_name);
    named.source = maybe(module_.SourceOf(*in));
    if (const HloShape* shape = PartOf(in->shape, buffer->part)) {
      named.shape = strings_.Intern(TextOf(*shape));
      named.padding = PaddingOf(*shape, live.bytes);
    }
    return named;
  }

  static int64_t PaddingOf(const HloShape& shape, int64_t bytes) {
    const double needed = shape.parts.empty()
                              ? BytesOf(shape)
                              : static_cast<double>(kPointer * std::ssize(shape.parts));
    return needed < static_cast<double>(bytes) ? bytes - ToInt64(needed) : 0;
  }

  HloBufferPlan plan_;
  const HloModule& module_;
  StringTable& strings_;
  Instructions instructions_;
  std::vector<std::vector<const std::vector<HloLifetime>*>> schedules_;  // by allocation
  std::map<int64_t, Draft> spaces_;
};

}  // namespace

std::vector<ProgramMemory> MemoryOf(std::string_view assignment, const HloModule& module,
                                    StringTable& strings) {
  return Planner(ReadBufferPlan(assignment), module, strings).Memory();
}

}  // namespace stepscope
