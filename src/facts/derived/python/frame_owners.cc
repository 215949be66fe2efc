// Looks at each name once, and gives each frame to itself or to the owner of the frame around it.
#include "facts/derived/python/frame_owners.h"

#include <vector>

#include "base/stop.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace frame_owners {
namespace {

FrameOrigin OriginOf(const FrameName& frame) {
  if (frame.file.empty()) return FrameOrigin::kBuiltIn;
  if (IsOfLibrary(frame)) return FrameOrigin::kLibrary;
  return IsPartOfCaller(frame) ? FrameOrigin::kPart : FrameOrigin::kUser;
}

std::vector<FrameOrigin> FindOrigins(const Facts& facts) {
  std::vector<FrameOrigin> origins(facts.names->size(), FrameOrigin::kUser);
  std::vector<bool> known(facts.names->size());
  StopChecks checks;
  for (const RankActivity& rank : facts.ranks) {
    for (const HostFrames& frames : rank.host->frames) {
      for (const HostFrame& frame : frames) {
        checks.Turn();
        if (known[frame.name]) continue;
        known[frame.name] = true;
        origins[frame.name] = OriginOf(ParseFrameName((*facts.names)[frame.name]));
      }
    }
  }
  return origins;
}

RangeLinks FindOwners(const Facts& facts, const HostFrames& frames) {
  const std::vector<FrameOrigin>& origins = FrameOriginsOf(facts);
  RangeLinks owners;
  std::vector<bool> of_user;
  of_user.reserve(frames.size());
  StopChecks checks;
  for (size_t f = 0; f < frames.size(); ++f) {
    checks.Turn();
    const HostFrame frame = frames[f];
    const FrameOrigin origin = origins[frame.name];
    const bool has_caller = frame.parent != kNoRange;
    const bool called_by_user = has_caller && of_user[static_cast<size_t>(frame.parent)];
    const bool callers = origin == FrameOrigin::kBuiltIn ? has_caller : called_by_user;
    of_user.push_back(origin == FrameOrigin::kUser || called_by_user);
    owners.Append(origin != FrameOrigin::kUser && callers
                      ? owners[static_cast<size_t>(frame.parent)]
                      : static_cast<int32_t>(f));
  }
  return owners;
}

}  // namespace
}  // namespace frame_owners

bool IsPartOfCaller(const FrameName& frame) {
  return frame.function.starts_with('<') && !frame.file.empty() && frame.function != "<module>";
}

const std::vector<FrameOrigin>& FrameOriginsOf(const Facts& facts) {
  return facts.memo.Of<&frame_owners::FindOrigins>(facts);
}

const RangeLinks& FrameOwnersOf(const Facts& facts, const HostFrames& frames) {
  return facts.memo.Of<&frame_owners::FindOwners>(facts, frames);
}

}  // namespace stepscope
