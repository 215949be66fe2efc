// Merges the frames of every training thread into one tree.
#include "facts/derived/python/python_paths.h"

#include <map>
#include <string>
#include <unordered_map>

#include "base/saturate.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/walk_frames.h"

namespace stepscope {
namespace {

using NodeId = PathTree::NodeId;
constexpr PathTree::Options kOptions{.deepest = 160, .small_share = 200};

// Names that read alike are one.
class Labels {
 public:
  explicit Labels(const StringTable& names) : names_(names) {}

  StringId Same(StringId name) {
    const auto [at, is_new] = same_.try_emplace(name, name);
    if (is_new) at->second = by_label_.try_emplace(Of(name), name).first->second;
    return at->second;
  }
  std::string Of(StringId name) const { return LabelOf(ParseFrameName(names_[name])); }

 private:
  const StringTable& names_;
  std::unordered_map<StringId, StringId> same_;
  std::map<std::string, StringId> by_label_;
};

void AddThread(const CountedPython& counted, uint32_t thread, Labels& labels, PathTree& paths) {
  const HostOps& host = *counted.rank->host;
  const HostFrames& frames = host.frames[thread];
  const AnywhereInWindows anywhere(counted.windows);
  AlongWindows along(counted.windows);
  std::vector<NodeId> node_of(frames.size(), PathTree::kRoot);
  const auto enter = [&](size_t f, const HostFrame& frame) {
    const NodeId above =
        frame.parent == kNoRange ? PathTree::kRoot : node_of[static_cast<size_t>(frame.parent)];
    NodeId& own = node_of[f];
    own = above;
    const int64_t time = anywhere.Within(frame.start, frame.end);
    if (time == 0) return;
    own = paths.Child(above, labels.Same(frame.name));
    if (own == above) return;  // too deep: its time is in its caller's
    PathTree::Node& node = paths[own];
    ++node.count;
    node.total = AddSaturated(node.total, time);
  };
  const auto visit = [&](size_t f, const HostFrame&, int64_t start, int64_t end) {
    PathTree::Node& node = paths[node_of[f]];
    node.self = AddSaturated(node.self, along.Within(start, end));
  };
  WalkFrames(frames, enter, visit, [](size_t, const HostFrame&) {});
  const std::vector<int32_t> of_calls = FramesOfCalls(host);
  for (const Activity& activity : counted.rank->activities) {
    if (activity.call == kNoCall || of_calls[activity.call] == kNoRange) continue;
    if (host.calls[activity.call].thread != thread) continue;
    PathTree::Node& node = paths[node_of[static_cast<size_t>(of_calls[activity.call])]];
    node.device = AddSaturated(node.device, activity.duration());
  }
}

}  // namespace

std::vector<PathRow> PathsOfPython(const Facts& facts) {
  Labels labels(*facts.names);
  PathTree paths([&](StringId name) { return labels.Of(name); }, kOptions);
  for (const CountedPython& counted : CountedPythonOf(facts)) {
    const auto training = TrainingThread(*facts.names, *counted.rank);
    if (training) AddThread(counted, *training, labels, paths);
  }
  return paths.Finish();
}

}  // namespace stepscope
