// Makes activities of a host's operators and collectives.
#include "facts/activity/host_device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/sort_runs.h"
#include "facts/activity/around_collectives.h"
#include "facts/activity/host_meaning.h"
#include "trace/input_lists.h"
#include "trace/processor_names.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

// Of each process group of gloo, as PyTorch makes them.
constexpr size_t kThreadsOfGroup = 2;

using Meaning = HostMeaning;

bool IsCompiled(const HostOps& host, const HostRange& range) {
  const RangeDetail* detail = host.DetailOf(range);
  return detail != nullptr && detail->compiled;
}

// Whether JAX runs compiled programs on the host.
bool RunsPrograms(const RankActivity& rank) {
  if (rank.framework != Framework::kJax) return false;
  const HostOps& host = *rank.host;
  std::vector<bool> of_xla;
  for (const std::string& thread : host.threads) of_xla.push_back(IsXlaThread(thread));
  return std::ranges::any_of(host.ranges, [&](const HostRange& range) {
    return of_xla[range.thread] && IsCompiled(host, range);
  });
}

// The number in "thread 24199 (pt_gloo_runloop)": later threads of a process have higher ones, as
// a rule. 0 without one.
int64_t NumberOfThread(std::string_view name) {
  const size_t digits = name.find_first_of("0123456789");
  int64_t number = 0;
  if (digits != name.npos) std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return number;
}

// The profiler writes C++ types where NCCL's metadata has PyTorch's: "float" is "Float".
std::string_view ScalarType(std::string_view type) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr auto kTypes = std::to_array<Pair>({{"float", "Float"},
                                               {"double", "Double"},
                                               {"long int", "Long"},
                                               {"int", "Int"},
                                               {"short int", "Short"},
                                               {"unsigned char", "Byte"},
                                               {"signed char", "Char"},
                                               {"bool", "Bool"},
                                               {"c10::Half", "Half"},
                                               {"c10::BFloat16", "BFloat16"}});
  const auto at = std::ranges::find(kTypes, type, &Pair::first);
  return at == kTypes.end() ? type : at->second;
}

// "send" of "gloo:send".
std::string_view OperationOfRecord(std::string_view name) {
  const std::string_view operation = name.substr(name.find(':') + 1);
  return operation == "recvAnySource" ? "recv" : operation;
}

bool IsMessage(std::string_view operation) { return operation == "send" || operation == "recv"; }

class Maker {
 public:
  Maker(RankActivity& rank, StringTable& names, int64_t group_size)
      : rank_(rank),
        host_(*rank.host),
        names_(names),
        group_size_(group_size),
        compiled_(RunsPrograms(rank)),
        meanings_(MeaningsOfRanges()),
        around_(host_, meanings_) {}

  void Make() {
    CollectEnds();
    std::vector<Activity> made = Collect(true);
    NumberStreams(made);
    Add(std::move(made));
    rank_.on_host = true;
  }

  // Communication alone, beside what the accelerator did.
  void AddCommunication() {
    CollectEnds();
    std::vector<Activity> made = Collect(false);
    const bool any =
        std::ranges::any_of(made, [&](const Activity& a) { return a.detail != dispatch_; });
    if (!any) return;
    NumberStreams(made);
    for (const Activity& activity : rank_.activities) made.push_back(activity);
    rank_.activities = {};
    Add(std::move(made));
    rank_.host_communicates = true;
  }

 private:
  std::vector<Meaning> MeaningsOfRanges() const {
    std::vector<Meaning> meanings;
    meanings.reserve(host_.ranges.size());
    if (compiled_) {
      for (const HostRange& range : host_.ranges) meanings.push_back(MeaningOfProgram(range));
      return meanings;
    }
    const std::vector<Meaning> by_name = MeaningsOfNames(host_, names_, false);
    for (const HostRange& range : host_.ranges) {
      const Meaning meaning = by_name[range.name];
      const bool runs = range.kind == Kind::kOperator || meaning != Meaning::kCompute;
      meanings.push_back(runs ? meaning : Meaning::kOther);
    }
    return meanings;
  }
  Meaning MeaningOfProgram(const HostRange& range) const {
    if (!IsCompiled(host_, range)) return Meaning::kOther;
    return MeaningOfOperation(*host_.DetailOf(range), names_, range.name);
  }

  // "send" of "gloo:send", "all-reduce" of "all-reduce.2", and of "psum.5".
  std::string_view OperationOf(const HostRange& range) const {
    const std::string_view name = names_[range.name];
    if (!compiled_) return OperationOfRecord(name);
    const RangeDetail* detail = host_.DetailOf(range);
    if (detail != nullptr && detail->collective != kNoString) return names_[detail->collective];
    const std::string_view by_primitive = CollectiveOfCompiled(name);
    return by_primitive.empty() ? name.substr(0, name.find('.')) : by_primitive;
  }

  // Of each thread, when its ranges but collectives end; ascending.
  void CollectEnds() {
    ends_.resize(host_.threads.size());
    for (size_t r = 0; r < host_.ranges.size(); ++r) {
      const HostRange range = host_.ranges[r];
      if (meanings_[r] != Meaning::kCollective) ends_[range.thread].push_back(range.end);
    }
    for (std::vector<int64_t>& ends : ends_) std::ranges::sort(ends);
  }

  // A message is recorded on the thread that posts it, until that thread has waited for it. What
  // the thread ran meanwhile it did not wait: the wait begins when the last of that ended.
  int64_t WaitsSince(const HostRange& message) const {
    const std::vector<int64_t>& ends = ends_[message.thread];
    const auto after = std::ranges::upper_bound(ends, message.end);
    return after == ends.begin() ? message.start : std::max(message.start, *std::prev(after));
  }

  std::vector<Activity> Collect(bool compute) {
    std::vector<Activity> made;
    std::vector<bool> within(
        host_.ranges.size());  // of what computes, loads data or compiles, or such itself
    for (size_t r = 0; r < host_.ranges.size(); ++r) {
      const HostRange range = host_.ranges[r];
      const Meaning meaning = meanings_[r];
      within[r] = range.parent != kNoRange && within[static_cast<size_t>(range.parent)];
      if (meaning == Meaning::kPreparation) within[r] = true;
      if (range.duration() <= 0) continue;
      if (meaning == Meaning::kCollective) {
        const bool message = IsMessage(OperationOf(range));
        const int64_t start = message ? WaitsSince(range) : range.start;
        AddActivity(range, {start, range.end}, AddCollective(range), made);
      } else if (meaning == Meaning::kDispatch || meaning == Meaning::kFunctional) {
        NotePost(range);
        AddActivity(range, {range.start, range.end}, AddDispatch(), made);
      } else if (compute && meaning == Meaning::kCompute && !within[r]) {
        AddCompute(r, range, made);
        within[r] = !around_.Has(r);
      }
    }
    return made;
  }

  // Of operations of a compiled program, those around others compute nothing themselves.
  void AddCompute(size_t index, const HostRange& range, std::vector<Activity>& made) {
    if (!around_.Has(index))
      return AddActivity(range, {range.start, host_.EndOf(range)}, kNoDetail, made);
    const auto own = compiled_ ? std::nullopt : around_.OwnOf(index);
    if (own) AddActivity(range, *own, kNoDetail, made);
  }

  // Until the streams are numbered, an activity's stream is its place.
  void AddActivity(const HostRange& range, Interval when, int32_t detail,
                   std::vector<Activity>& made) {
    made.push_back({.start = when.start,
                    .end = when.end,
                    .launched = when.start,
                    .name = range.name,
                    .stream = PlaceOf(range),
                    .detail = detail,
                    .kind = detail == kNoDetail ? Kind::kCompute : Kind::kCommunication});
  }

  // Where an activity is: a thread works for one device of its process after the other.
  struct Place {
    int64_t device = 0;
    uint32_t thread = 0;
    auto operator<=>(const Place&) const = default;
  };
  uint32_t PlaceOf(const HostRange& range) {
    const RangeDetail* detail = compiled_ ? host_.DetailOf(range) : nullptr;
    const Place place{detail == nullptr ? 0 : std::max<int64_t>(detail->device, 0), range.thread};
    const auto [at, is_new] =
        place_index_.try_emplace(place, static_cast<uint32_t>(places_.size()));
    if (is_new) places_.push_back(place);
    return at->second;
  }
  uint32_t ThreadOf(const Activity& activity) const { return places_[activity.stream].thread; }

  // All of them are alike.
  int32_t AddDispatch() {
    if (dispatch_ == kNoDetail) {
      dispatch_ = static_cast<int32_t>(rank_.collectives.size());
      rank_.collectives.push_back({.dispatch = true});
    }
    return dispatch_;
  }

  // Remembers whom a call that posts a message names: "c10d::send" and "c10d::recv_" of PyTorch
  // have the rank behind the tensors and the group.
  void NotePost(const HostRange& range) {
    constexpr size_t kRank = 2;
    const std::string_view name = names_[range.name];
    const bool sends = name == "c10d::send";
    if (!sends && name != "c10d::recv_") return;
    const RangeDetail* detail = host_.DetailOf(range);
    if (detail == nullptr || detail->values == kNoString) return;
    const std::vector<std::string> values = ReadTexts(names_[detail->values]);
    int64_t in_group = -1;
    if (values.size() > kRank) {
      const std::string& text = values[kRank];
      std::from_chars(text.data(), text.data() + text.size(), in_group);
    }
    posts_[{range.thread, sends}].push_back(RankInJob(in_group));
  }

  // -1: the group of the message is not known.
  int64_t RankInJob(int64_t in_group) const {
    const auto& groups = rank_.group_members;
    if (groups.empty() || in_group < 0) return in_group;
    const bool known = groups.size() == 1 && in_group < std::ssize(groups.front());
    return known ? groups.front()[static_cast<size_t>(in_group)] : -1;
  }

  // Messages of a thread are recorded in the order in which they were posted.
  int64_t TakePost(uint32_t thread, bool sends) {
    std::deque<int64_t>& posts = posts_[{thread, sends}];
    if (posts.empty()) return -1;
    const int64_t rank = posts.front();
    posts.pop_front();
    return rank;
  }

  // What it moves is its input, also where that is the place to receive in.
  int32_t AddCollective(const HostRange& range) {
    const std::string name(OperationOf(range));
    Collective collective{.operation = names_.Intern(name),
                          .group = GroupOf(range),
                          .group_size = group_size_ > 0 ? group_size_ : -1};
    const std::string_view operation = names_[collective.operation];
    if (operation == "send") collective.to = TakePost(range.thread, true);
    if (operation == "recv") collective.from = TakePost(range.thread, false);
    const RangeDetail* detail = host_.DetailOf(range);
    if (compiled_ && detail != nullptr) {
      TakeProgram(*detail, collective);
    } else if (detail != nullptr) {
      if (detail->shapes != kNoString) {
        collective.in_elements = collective.out_elements = CountElements(names_[detail->shapes]);
      }
      const auto types = detail->types == kNoString ? std::vector<std::string>()
                                                    : ReadTexts(names_[detail->types]);
      if (!types.empty()) collective.type = names_.Intern(ScalarType(types.front()));
    }
    rank_.collectives.push_back(collective);
    return static_cast<int32_t>(rank_.collectives.size() - 1);
  }

  static void TakeProgram(const RangeDetail& detail, Collective& collective) {
    collective.type = detail.element_type;
    collective.in_elements = detail.in_elements;
    collective.out_elements = detail.out_elements;
    collective.members = detail.members;
    if (detail.group_size > 0) collective.group_size = detail.group_size;
  }

  // Every process and device runs the same operation of a program. Several process groups are told
  // by their threads alone.
  StringId GroupOf(const HostRange& range) {
    if (compiled_) return range.name;
    const std::string name(names_[range.name]);
    return group_size_ == 0 ? kNoString : names_.Intern(name.substr(0, name.find(':')));
  }

  // The threads of process groups, one group's after another's; empty where they cannot be told.
  std::vector<uint32_t> ThreadsOfGroups(const std::vector<Activity>& made) const {
    std::vector<bool> communicates(host_.threads.size()), computes(host_.threads.size());
    for (const Activity& activity : made) {
      const bool record = activity.kind == Kind::kCommunication && activity.detail != dispatch_;
      (record ? communicates : computes)[ThreadOf(activity)] = true;
    }
    std::vector<uint32_t> threads;
    for (uint32_t t = 0; t < host_.threads.size(); ++t) {
      if (communicates[t] && !computes[t]) threads.push_back(t);
    }
    if (group_size_ != 0 || threads.size() % kThreadsOfGroup != 0) return {};
    std::ranges::stable_sort(threads, {},
                             [&](uint32_t t) { return NumberOfThread(host_.threads[t]); });
    return threads;
  }

  // Threads that have activities, in their order, as streams of their device. Behind them process
  // groups, whose threads share a stream, in the order in which they were made.
  void NumberStreams(std::vector<Activity>& made) {
    std::vector<int64_t> stream_of(host_.threads.size());
    for (size_t t = 0; t < stream_of.size(); ++t) stream_of[t] = static_cast<int64_t>(t);
    const std::vector<uint32_t> of_groups = ThreadsOfGroups(made);
    for (size_t i = 0; i < of_groups.size(); ++i)
      stream_of[of_groups[i]] = std::ssize(stream_of) + static_cast<int64_t>(i / kThreadsOfGroup);
    if (rank_.devices.empty()) AddDevices();
    std::map<std::pair<uint32_t, int64_t>, uint32_t> index;  // by device and stream
    const auto key = [&](const Place& place) {
      return std::pair(DeviceIndexOf(place), stream_of[place.thread]);
    };
    for (const Place& place : places_) index.try_emplace(key(place));
    // Behind the streams of the accelerator, whose numbers are its own.
    int64_t first = 0;
    for (const Stream& stream : rank_.streams)
      first = std::max(first, AddSaturated(stream.stream, 1));
    for (auto& [of, position] : index) {
      const auto& [device, stream] = of;
      position = static_cast<uint32_t>(rank_.streams.size());
      const bool of_one = stream < std::ssize(host_.threads);
      rank_.streams.push_back({.device = rank_.devices[device],
                               .stream = AddSaturated(first, stream),
                               .device_index = device,
                               .of_host = true,
                               .thread = of_one ? static_cast<uint32_t>(stream) : kNoThread});
    }
    for (Activity& activity : made) activity.stream = index.at(key(places_[activity.stream]));
  }

  void AddDevices() {
    for (const Place& place : places_) rank_.devices.push_back(place.device);
    std::ranges::sort(rank_.devices);
    const auto [rest, end] = std::ranges::unique(rank_.devices);
    rank_.devices.erase(rest, end);
  }
  // Records beside an accelerator say no device.
  uint32_t DeviceIndexOf(const Place& place) const {
    const auto at = std::ranges::lower_bound(rank_.devices, place.device);
    const auto last = std::prev(rank_.devices.end());
    return static_cast<uint32_t>((compiled_ ? at : last) - rank_.devices.begin());
  }

  // By start. Those of an accelerator know their step, and since when their stream was free.
  void Add(std::vector<Activity> made) {
    SortRuns(made, [](const Activity& a, const Activity& b) {
      return std::tuple(a.start, a.end, a.stream) < std::tuple(b.start, b.end, b.stream);
    });
    std::vector<int64_t> busy_until(rank_.streams.size(), kNoTime);
    for (Activity activity : made) {
      int64_t& until = busy_until[activity.stream];
      if (rank_.IsOfHost(activity)) {
        activity.free_since = until;
        activity.step = rank_.StepAt(activity.start);
      }
      until = std::max(until, activity.end);
      rank_.activities.Append(activity);
    }
  }

  RankActivity& rank_;
  HostOps& host_;
  StringTable& names_;
  const int64_t group_size_;
  const bool compiled_;
  const std::vector<Meaning> meanings_;  // by range
  const AroundCollectives around_;
  std::vector<Place> places_;
  std::map<Place, uint32_t> place_index_;
  std::vector<std::vector<int64_t>> ends_;  // by thread
  int32_t dispatch_ = kNoDetail;            // index into RankActivity::collectives
  // By thread, and whether they send: the other ranks of messages that were posted.
  std::map<std::pair<uint32_t, bool>, std::deque<int64_t>> posts_;
};

}  // namespace

OnHost ComputesOnHost(const RankActivity& rank, const StringTable& names, bool lists_no_device) {
  const LaunchCount& launches = rank.launches;
  const HostOps& host = *rank.host;
  if (!rank.activities.empty() || rank.memory_only || !rank.properties.empty() ||
      launches.calls > 0 || launches.captured > 0 ||
      std::ranges::any_of(host.memory, [](const MemoryEvent& e) { return e.device >= 0; })) {
    return OnHost::kUnknown;
  }
  std::vector<bool> used(names.size());
  bool ran = false;
  for (const HostRange& range : host.ranges) {
    used[range.name] = true;
    ran = ran || range.kind == Kind::kOperator;
  }
  bool found = RunsPrograms(rank);
  for (StringId id = 0; id < names.size(); ++id) {
    if (!used[id]) continue;
    if (IsOfAccelerator(names[id])) return OnHost::kUnknown;
    found |= IsOfProcessor(names[id]);
  }
  if (found) return OnHost::kKnown;
  return ran && lists_no_device ? OnHost::kAssumed : OnHost::kUnknown;
}

void TakeHostForDevice(RankActivity& rank, StringTable& names, int64_t group_size) {
  Maker(rank, names, group_size).Make();
}

void TakeHostCommunication(RankActivity& rank, StringTable& names, int64_t group_size) {
  bool recorded = false;  // by name: most recordings have no such record
  for (StringId id = 0; id < names.size() && !recorded; ++id)
    recorded = ProcessorRoleOf(names[id]) == ProcessorRole::kCollective;
  const auto communicates = [](const Activity& w) { return w.kind == Kind::kCommunication; };
  if (!recorded || rank.activities.empty() || std::ranges::any_of(rank.activities, communicates))
    return;
  Maker(rank, names, group_size).AddCommunication();
}

void TakeNoDevice(RankActivity& rank) {
  rank.activities = {};
  rank.streams.clear();
  rank.devices.clear();
  rank.collectives.clear();
  rank.on_host = rank.assumed_on_host = false;
}

}  // namespace stepscope
