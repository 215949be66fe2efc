// Implements what a profile says of itself.
// Fields (tsl/profiler/protobuf/xplane.proto): XSpace 1 planes, 2 errors, 3 warnings, 4 hostnames;
// XPlane 2 name, 3 lines, 5 stat_metadata, 6 stats; XLine 4 events.
#include <algorithm>
#include <map>

#include "base/proto.h"
#include "capture/grpc/grpc_end.h"
#include "capture/grpc/profile_file.h"

namespace stepscope::capture {
namespace {

constexpr size_t kMostTexts = 10;
constexpr std::string_view kEnvironment = "Task Environment";  // the plane with the times

void Keep(std::vector<std::string>& texts, std::string_view text) {
  if (texts.size() < kMostTexts) texts.push_back(Printable(text));
}

// {1 key, 2 value {1 id, 2 name}} of stat_metadata.
void TakeName(std::string_view entry, std::map<int64_t, std::string_view>& names) {
  int64_t id = 0;
  std::string_view name;
  ReadFields(entry, [&](pbf_reader& field) {
    if (field.tag_and_type() == VarintField(1)) {
      id = field.get_int64();
    } else if (field.tag_and_type() == BytesField(2)) {
      ForEachField(BytesField(2), field.get_view(),
                   [&](pbf_reader& text) { name = text.get_view(); });
    } else {
      field.skip();
    }
  });
  if (names.size() < 1000) names[id] = name;
}

// {1 metadata_id, 3 uint64, 4 int64} of stats.
void TakeStat(std::string_view stat, std::map<int64_t, int64_t>& values) {
  int64_t id = 0, value = 0;
  ReadFields(stat, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(1):
        id = field.get_int64();
        break;
      case VarintField(3):
        [[fallthrough]];
      case VarintField(4):
        value = field.get_int64();
        break;
      default:
        field.skip();
    }
  });
  if (values.size() < 1000) values[id] = value;
}

void TakeTimes(std::string_view plane, ProfileFacts& facts) {
  std::map<int64_t, std::string_view> names;
  std::map<int64_t, int64_t> values;
  ReadFields(plane, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(5):
        TakeName(field.get_view(), names);
        break;
      case BytesField(6):
        TakeStat(field.get_view(), values);
        break;
      default:
        field.skip();
    }
  });
  for (const auto& [id, name] : names) {
    if (name == "profile_start_time") facts.start = std::max<int64_t>(0, values[id]);
    if (name == "profile_stop_time") facts.stop = std::max<int64_t>(0, values[id]);
  }
}

bool HasEvents(std::string_view line) {
  bool found = false;
  ForEachField(BytesField(4), line, [&](pbf_reader& field) {
    field.skip();
    found = true;
  });
  return found;
}

// False if the plane is damaged.
bool TakePlane(std::string_view plane, ProfileFacts& facts) {
  std::string_view name;
  const bool whole = ReadFields(plane, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(2):
        name = field.get_view();
        break;
      case BytesField(3):
        facts.lines += HasEvents(field.get_view()) ? 1 : 0;
        break;
      default:
        field.skip();
    }
  });
  if (name == kEnvironment) TakeTimes(plane, facts);
  return whole;
}

}  // namespace

ProfileFacts ReadProfileFacts(std::string_view profile) {
  ProfileFacts facts;
  bool planes = true;
  const bool whole = ReadFields(profile, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(1):
        planes = TakePlane(field.get_view(), facts) && planes;
        break;
      case BytesField(2):
        Keep(facts.errors, field.get_view());
        break;
      case BytesField(3):
        Keep(facts.warnings, field.get_view());
        break;
      case BytesField(4):
        Keep(facts.hosts, field.get_view());
        break;
      default:
        field.skip();
    }
  });
  facts.readable = whole && planes;
  return facts;
}

}  // namespace stepscope::capture
