// Walks the frames of modules, and links backward to them.
#include "facts/derived/modules/module_places.h"

#include "base/innermost.h"
#include "base/stop.h"
#include "facts/derived/modules/autograd_links.h"
#include "facts/derived/python/python_time.h"
#include "trace/frame_name.h"

namespace stepscope {

ModulePlaces::ModulePlaces(const StringTable& names, const RankActivity& rank) : host_(*rank.host) {
  FindModules(names);
  if (!any_) return;
  of_calls_ = FramesOfCalls(host_);
  of_ranges_ = FramesOfRanges(host_);
  LinkBackward();
}

void ModulePlaces::FindModules(const StringTable& names) {
  enum : int8_t { kUnknown, kNo, kYes };
  std::vector<int8_t> is_module(names.size(), kUnknown);
  StopChecks checks;
  modules_.resize(host_.frames.size());
  for (size_t t = 0; t < host_.frames.size(); ++t) {
    const HostFrames& frames = host_.frames[t];
    for (size_t f = 0; f < frames.size(); ++f) {
      checks.Turn();
      const HostFrame frame = frames[f];
      int8_t& known = is_module[frame.name];
      if (known == kUnknown) known = ModuleOfFrame(names[frame.name]).empty() ? kNo : kYes;
      any_ = any_ || known == kYes;
      modules_[t].Append(known == kYes ? static_cast<int32_t>(f)
                                       : ModuleAt(static_cast<uint32_t>(t), frame.parent));
    }
  }
}

void ModulePlaces::LinkBackward() {
  const std::vector<int32_t> forward = ForwardOfBackward(host_);
  std::vector<bool> of_backward(host_.ranges.size());
  linked_.assign(host_.ranges.size(), kNoString);
  for (size_t i = 0; i < host_.autograd.size(); ++i) {
    const AutogradOp op = host_.autograd[i];
    if (op.forward_thread <= 0) continue;
    of_backward[static_cast<size_t>(op.range)] = true;
    if (forward[i] == kNoRange) continue;
    const auto range = static_cast<size_t>(forward[i]);
    linked_[static_cast<size_t>(op.range)] = NameAt(host_.ranges[range].thread, of_ranges_[range]);
  }
  for (size_t r = 0; r < host_.ranges.size(); ++r) {
    const int32_t parent = host_.ranges[r].parent;
    const int32_t above = parent == kNoRange ? kNoRange : backward_[static_cast<size_t>(parent)];
    backward_.Append(of_backward[r] ? static_cast<int32_t>(r) : above);
  }
}

StringId ModulePlaces::NameAt(uint32_t thread, int32_t frame) const {
  const int32_t module = ModuleAt(thread, frame);
  return module == kNoRange ? kNoString : host_.frames[thread][static_cast<size_t>(module)].name;
}

ModulePlace ModulePlaces::Of(uint32_t thread, int32_t frame, int32_t range) const {
  const int32_t backward = range == kNoRange ? kNoRange : backward_[static_cast<size_t>(range)];
  if (backward == kNoRange) return {NameAt(thread, frame), false};
  const int32_t module = ModuleAt(thread, frame);
  const int64_t since = host_.ranges[static_cast<size_t>(backward)].start;
  if (module != kNoRange && host_.frames[thread][static_cast<size_t>(module)].start >= since)
    return {NameAt(thread, frame), true};
  return {linked_[static_cast<size_t>(backward)], true};
}

ModulePlace ModulePlaces::OfCall(uint32_t call) const {
  if (!any_) return {};
  const Call of = host_.calls[call];
  return Of(of.thread, of_calls_[call], of.range);
}

ModulePlace ModulePlaces::OfRange(int32_t range) const {
  if (!any_) return {};
  const auto at = static_cast<size_t>(range);
  return Of(host_.ranges[at].thread, of_ranges_[at], range);
}

std::vector<ModulePlace> ModulePlaces::OfMemory() const {
  std::vector<ModulePlace> places;
  if (!any_) return places;
  std::vector<Innermost> threads(host_.threads.size());
  places.reserve(host_.memory.size());
  StopChecks checks;
  for (const MemoryEvent& event : host_.memory) {
    checks.Turn();
    places.emplace_back();
    if (event.range == kNoRange) continue;
    const uint32_t thread = host_.ranges[static_cast<size_t>(event.range)].thread;
    const HostFrames& own = host_.frames[thread];
    const int32_t frame =
        threads[thread].At(event.time, own.size(), [&](size_t f) { return own[f]; });
    places.back() = Of(thread, frame, event.range);
  }
  return places;
}

}  // namespace stepscope
