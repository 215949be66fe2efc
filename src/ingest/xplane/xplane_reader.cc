// Reads an XPlane file. Planes are indexed first: the tables that explain a plane's lines follow
// them, and the origin of all times is in the last plane. Host lines are read before device lines,
// because they decide about steps.
#include "ingest/xplane/xplane_reader.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/match_any.h"
#include "ingest/common/event_text.h"
#include "ingest/xplane/xplane_device.h"
#include "ingest/xplane/xplane_host.h"
#include "ingest/xplane/xplane_lines.h"
#include "ingest/xplane/xplane_plane.h"

namespace stepscope {
namespace {

// What reading a binary file as text in UTF-8 and writing it again leaves for each odd byte.
constexpr std::string_view kReplaced = "\xef\xbf\xbd";

size_t CountReplaced(std::string_view bytes) {
  size_t count = 0;
  for (size_t at = bytes.find(kReplaced); at != bytes.npos; at = bytes.find(kReplaced, at + 3))
    ++count;
  return count;
}

// JAX calls its programs "jit_f(7)" or "pmap_f(7)", and what dispatches them "PjitFunction(f)" or
// "JaxPmapFunction(f)".
constexpr auto kOfJax =
    std::to_array<std::string_view>({"PjitFunction(", "jit_", "jit(", "JaxPmapFunction(", "pmap("});

Framework FrameworkOf(const StringTable& names) {
  for (StringId id = 0; id < names.size(); ++id) {
    const std::string_view name = names[id];
    if (StartsWithAny(name, kOfJax)) return Framework::kJax;
  }
  return Framework::kTensorFlow;
}

std::vector<int64_t> DevicesOf(const std::vector<XPlane>& planes) {
  std::vector<int64_t> devices;
  for (const XPlane& plane : planes) {
    if (IsDevicePlane(plane.name) && SparseCoreOfPlane(plane.name) < 0)
      devices.push_back(DeviceOfPlane(plane.name));
  }
  std::ranges::sort(devices);
  return devices;
}

class Reader {
 public:
  Reader(SeekableBytes bytes, Wanted keep) : file_(std::move(bytes)), keep_(keep) {}

  Result<Trace> Read() {
    if (auto error = LookForText()) return std::unexpected(std::move(*error));
    IndexPlanes();
    if (planes_.empty()) {
      return std::unexpected(Error{"the file is not a profile: it has no planes", "",
                                   "give the <host>.xplane.pb that the profiler wrote"});
    }
    ReadPlanes();
    NoteEnd();
    return std::move(trace_);
  }

 private:
  // A profile that went through a text tool cannot be read, nor restored: better said than guessed.
  std::optional<Error> LookForText() {
    constexpr uint64_t kLook = 4096;
    constexpr size_t kSure = 16;
    const auto bytes = file_.View({0, std::min(kLook, file_.size())});
    if (!bytes || CountReplaced(*bytes) < kSure) return std::nullopt;
    return Error{"the profile is damaged as text: bytes were replaced by U+FFFD", "",
                 "copy the original again as a binary file; this copy cannot be restored"};
  }

  // XSpace: 1 planes, 2 errors, 3 warnings, 4 hostnames.
  void IndexPlanes() {
    ByteRange all{0, file_.size()};
    while (const auto field = file_.Next(all)) {
      if (field->type != WireType::length_delimited) continue;
      if (field->number == 1) planes_.push_back(IndexPlane(file_, field->bytes, trace_.notes));
      if (field->number < 2 || field->number > 4) continue;
      const auto text = file_.View(field->bytes);
      if (!text) continue;
      if (field->number == 4)
        AddHost(*text);
      else
        trace_.notes.Add(NoteKind::kProfilerSaid, 1, *text);
    }
    cut_short_ = all.size() > 0;
    if (cut_short_) IndexCutPlane(all);
    for (const XPlane& plane : planes_) {
      if (plane.stats.Has(StatKey::kProfileStart))
        clock_.profile_start = plane.stats.Int(StatKey::kProfileStart);
    }
  }

  // A profile of several hosts is of no one machine.
  void AddHost(std::string_view name) {
    std::string& machine = trace_.meta.machine;
    if (hosts_++ == 0)
      machine = name;
    else if (machine != name)
      machine.clear();
  }

  // Of a file cut short the last plane is longer than the file; what there is of it counts.
  void IndexCutPlane(ByteRange rest) {
    const auto bytes = file_.View({rest.begin, std::min(rest.begin + kXSpaceSniff, rest.end)});
    if (!bytes || !bytes->starts_with('\x0a')) return;
    std::string_view header = bytes->substr(1);
    uint64_t length = 0;
    if (!TakeVarint(header, length)) return;
    const uint64_t begin = rest.begin + (bytes->size() - header.size());
    if (length <= rest.end - begin) return;
    planes_.push_back(IndexPlane(file_, {begin, rest.end}, trace_.notes));
  }

  void ReadPlanes() {
    ModuleRuns runs;
    HostGroups groups;
    Programs programs(keep_.kernels ? &trace_.strings : nullptr);
    LineReader lines(file_, clock_, trace_.notes);
    HostPlanes host(trace_, keep_, groups, programs, runs);
    DevicePlanes devices(trace_, keep_, groups, programs, runs);
    // Operations depend on them, and steps too, whatever is kept.
    for (const XPlane& plane : planes_) ReadPrograms(plane, programs);
    for (const XPlane& plane : planes_) {
      if (IsHostPlane(plane.name)) host.Read(plane, lines);
    }
    trace_.programs = programs.TakeCompiled();
    groups.Build();
    devices.Expect(DevicesOf(planes_));
    for (const XPlane& plane : planes_) {
      if (IsDevicePlane(plane.name)) devices.Read(plane, lines);
    }
    host.MarkEvents(!devices.HaveSteps());
    devices.MarkSteps();
    host.AddMarkers(!devices.HaveSteps());
    for (const XPlane& plane : planes_) NoteUnread(plane, lines);
    if (lines.fractional() > 0) trace_.notes.Add(NoteKind::kSubNanosecond, lines.fractional());
    trace_.meta.framework = FrameworkOf(trace_.strings);
  }

  // Planes that other tools or newer profilers added.
  void NoteUnread(const XPlane& plane, LineReader& lines) {
    if (IsHostPlane(plane.name) || IsDevicePlane(plane.name)) return;
    const int64_t before = lines.events();
    for (const ByteRange& range : plane.lines) {
      lines.Read(
          plane, range, [](const XLine&) { return true; }, [](const XEvent&, const XTime&) {});
    }
    const int64_t events = lines.events() - before;
    if (events > 0) trace_.notes.Add(NoteKind::kUnknownCategory, events, plane.name);
    trace_.events_in_file += events;
  }

  void ReadPrograms(const XPlane& plane, Programs& programs) {
    for (const ByteRange& range : plane.programs) {
      const auto entry = file_.View(range);
      if (entry)
        programs.Add(*entry, trace_.notes);
      else
        trace_.notes.Add(NoteKind::kUnreadableStat, 1, "a compiled program");
    }
  }

  void NoteEnd() {
    const InputEnd end = file_.end();
    if (end == InputEnd::kCorrupt) return trace_.notes.Add(NoteKind::kCorrupt);
    if (cut_short_ || end == InputEnd::kTruncated || end == InputEnd::kReadError)
      trace_.notes.Add(NoteKind::kTruncated);
  }

  ProtoFile file_;
  const Wanted keep_;
  Trace trace_;
  XClock clock_;
  std::vector<XPlane> planes_;
  int64_t hosts_ = 0;
  bool cut_short_ = false;
};

}  // namespace

// A plane first (field 1 of XSpace), and in it its id, name, a line or a table; metadata of events
// (field 4) would look like a quote. A JSON text that begins with a line end cannot look so: what
// follows its bracket is space, a quote or another bracket.
bool LooksLikeXSpace(std::string_view beginning) {
  if (!beginning.starts_with('\x0a')) return false;
  beginning.remove_prefix(1);
  if (beginning.starts_with(kReplaced) || beginning.starts_with("\xef")) return true;
  uint64_t length = 0;
  if (!TakeVarint(beginning, length)) return false;
  constexpr std::string_view kPlaneFields = "\x08\x12\x1a\x2a\x32";
  return length == 0 || (!beginning.empty() && kPlaneFields.contains(beginning.front()));
}

Result<Trace> ReadXSpace(SeekableBytes bytes, const ReadOptions& options) {
  if (options.observer == nullptr) return Reader(std::move(bytes), options.keep).Read();
  auto trace = Reader(std::move(bytes), Wanted::All()).Read();
  if (trace) ObserveAsText(*trace, *options.observer);
  return trace;
}

}  // namespace stepscope
