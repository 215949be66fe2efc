// The table of columns, and how each is filled.
#include "events/fields.h"

#include <array>
#include <utility>

#include "events/choose.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

// The place of a file among those of its record.
size_t PlaceOf(const Chosen& chosen, const RecordedFile& file) {
  return static_cast<size_t>(&file - chosen.record->files.data());
}

template <auto columns_of>
ColumnData FillTimes(const Chosen& chosen, const EventLinks&, std::string name) {
  return NumbersOfEvents<int64_t>(chosen, std::move(name), ColumnType::kInt64, columns_of);
}

constexpr auto kStarts = [](const RecordedFile& file) {
  return
      [&column = file.trace().starts()](uint32_t e) -> std::optional<int64_t> { return column[e]; };
};
constexpr auto kDurations = [](const RecordedFile& file) {
  return [&column = file.trace().durations()](uint32_t e) -> std::optional<int64_t> {
    return column[e];
  };
};
constexpr auto kEnds = [](const RecordedFile& file) {
  return [&trace = file.trace()](uint32_t e) -> std::optional<int64_t> {
    return trace.starts()[e] + trace.durations()[e];
  };
};

ColumnData FillIndex(const Chosen& chosen, const EventLinks&, std::string name) {
  return NumbersOfEvents<int32_t>(
      chosen, std::move(name), ColumnType::kInt32, [](const RecordedFile& file) {
        return [first = file.first](uint32_t e) -> std::optional<int64_t> { return first + e; };
      });
}

ColumnData FillRank(const Chosen& chosen, const EventLinks&, std::string name) {
  return NumbersOfEvents<int32_t>(
      chosen, std::move(name), ColumnType::kInt32, [&](const RecordedFile&) {
        return [rank = chosen.record->rank](uint32_t) -> std::optional<int64_t> { return rank; };
      });
}

ColumnData FillName(const Chosen& chosen, const EventLinks&, std::string name) {
  return TextsOfEvents(chosen, std::move(name), [](const RecordedFile& file) {
    return
        [&names = file.trace().names()](uint32_t e) -> std::optional<StringId> { return names[e]; };
  });
}

ColumnData FillKind(const Chosen& chosen, const EventLinks&, std::string name) {
  ColumnData column = NumbersOfEvents<int8_t>(
      chosen, std::move(name), ColumnType::kInt8, [](const RecordedFile& file) {
        return [kinds = file.trace().kinds()](uint32_t e) -> std::optional<int64_t> {
          return static_cast<int64_t>(kinds[e]);
        };
      });
  Dictionary kinds;
  for (const std::string& kind : EventTable::KindNames()) kinds.RowOf(kind);
  column.dictionary = kinds.Finish();
  return column;
}

// Of each track a number or none; then of each event that of its track.
template <class T, ColumnType type, auto of_track>
ColumnData FillByTrack(const Chosen& chosen, const EventLinks&, std::string name) {
  return NumbersOfEvents<T>(chosen, std::move(name), type, [](const RecordedFile& file) {
    std::vector<std::optional<int64_t>> numbers;
    for (const Track& track : file.trace().tracks) numbers.push_back(of_track(track));
    return [numbers = std::move(numbers), &tracks = file.trace().tracks_of()](uint32_t e) {
      return numbers[tracks[e]];
    };
  });
}

constexpr auto kDevice = [](const Track& track) {
  return track.is_stream ? std::optional(track.device) : std::nullopt;
};
constexpr auto kStream = [](const Track& track) {
  return track.is_stream ? std::optional(track.stream) : std::nullopt;
};

// Few recordings number streams beyond 32 bits; there the column is wider.
ColumnData FillStream(const Chosen& chosen, const EventLinks& links, std::string name) {
  bool wide = false;
  for (const RecordedFile& file : chosen.record->files) {
    for (const Track& track : file.trace().tracks)
      wide = wide || (track.is_stream && !std::in_range<int32_t>(track.stream));
  }
  return wide ? FillByTrack<int64_t, ColumnType::kInt64, kStream>(chosen, links, std::move(name))
              : FillByTrack<int32_t, ColumnType::kInt32, kStream>(chosen, links, std::move(name));
}

// The same with a text that the track has; "" is none.
template <auto text>
ColumnData FillTextByTrack(const Chosen& chosen, const EventLinks&, std::string name) {
  Dictionary dictionary;
  ColumnData column = NumbersOfEvents<int32_t>(
      chosen, std::move(name), ColumnType::kInt32, [&](const RecordedFile& file) {
        std::vector<std::optional<int64_t>> rows;
        for (const Track& track : file.trace().tracks) {
          const std::string& said = track.*text;
          rows.push_back(said.empty() ? std::nullopt
                                      : std::optional<int64_t>(dictionary.RowOf(said)));
        }
        return [rows = std::move(rows), &tracks = file.trace().tracks_of()](uint32_t e) {
          return rows[tracks[e]];
        };
      });
  column.dictionary = dictionary.Finish();
  return column;
}

ColumnData FillStep(const Chosen& chosen, const EventLinks& links, std::string name) {
  return NumbersOfEvents<int32_t>(
      chosen, std::move(name), ColumnType::kInt32, [&](const RecordedFile& file) {
        StepsOfEvents steps(file, links.launches[PlaceOf(chosen, file)], chosen.record->steps);
        return [steps](uint32_t e) mutable { return steps.At(e); };
      });
}

// A column of places of other events of the same file.
template <class LinkOf>
ColumnData FillPlaces(const Chosen& chosen, std::string name, const LinkOf& link_of) {
  return NumbersOfEvents<int32_t>(
      chosen, std::move(name), ColumnType::kInt32, [&](const RecordedFile& file) {
        const size_t place = PlaceOf(chosen, file);
        return [&link_of, place, first = file.first](uint32_t e) -> std::optional<int64_t> {
          const uint32_t other = link_of(place, e);
          return other == kNoEvent ? std::nullopt : std::optional<int64_t>(int64_t{first} + other);
        };
      });
}

ColumnData FillLaunch(const Chosen& chosen, const EventLinks& links, std::string name) {
  return FillPlaces(chosen, std::move(name),
                    [&](size_t file, uint32_t e) { return links.launches[file][e]; });
}

ColumnData FillParent(const Chosen& chosen, const EventLinks& links, std::string name) {
  return FillPlaces(chosen, std::move(name),
                    [&](size_t file, uint32_t e) { return links.nestings[file].parents[e]; });
}

ColumnData FillOperator(const Chosen& chosen, const EventLinks& links, std::string name) {
  return FillPlaces(chosen, std::move(name), [&](size_t file, uint32_t e) {
    const uint32_t launch = links.launches[file][e];
    return links.nestings[file].operators[launch == kNoEvent ? e : launch];
  });
}

ColumnData FillDepth(const Chosen& chosen, const EventLinks& links, std::string name) {
  return NumbersOfEvents<int32_t>(
      chosen, std::move(name), ColumnType::kInt32, [&](const RecordedFile& file) {
        const auto& depths = links.nestings[PlaceOf(chosen, file)].depths;
        return [&depths](uint32_t e) -> std::optional<int64_t> { return depths[e]; };
      });
}

template <IntField field>
ColumnData FillInt(const Chosen& chosen, const EventLinks&, std::string name) {
  return NumbersOfEvents<int64_t>(
      chosen, std::move(name), ColumnType::kInt64, [](const RecordedFile& file) {
        return [walk = SparseWalk(file.trace().Ints(field))](uint32_t e) mutable {
          return walk.At(e);
        };
      });
}

template <TextField field>
ColumnData FillText(const Chosen& chosen, const EventLinks&, std::string name) {
  return TextsOfEvents(chosen, std::move(name), [](const RecordedFile& file) {
    return
        [walk = SparseWalk(file.trace().Texts(field))](uint32_t e) mutable { return walk.At(e); };
  });
}

template <RealField field>
ColumnData FillReal(const Chosen& chosen, const EventLinks&, std::string name) {
  ColumnFill<double> fill(chosen.size());
  for (size_t f = 0; f < chosen.record->files.size(); ++f) {
    SparseWalk walk(chosen.record->files[f].trace().Reals(field));
    chosen.ForEach(f, [&](uint32_t event) { fill.Append(walk.At(event)); });
  }
  return fill.Finish(std::move(name), ColumnType::kDouble);
}

using enum NeedsLinks;

constexpr auto kFields = std::to_array<EventColumn>({
    {"index", kNone, FillIndex},
    {"rank", kNone, FillRank},
    {"name", kNone, FillName},
    {"kind", kNone, FillKind},
    {"start", kNone, FillTimes<kStarts>},
    {"duration", kNone, FillTimes<kDurations>},
    {"end", kNone, FillTimes<kEnds>},
    {"device", kNone, FillByTrack<int16_t, ColumnType::kInt16, kDevice>},
    {"stream", kNone, FillStream},
    {"process", kNone, FillTextByTrack<&Track::process>},
    {"thread", kNone, FillTextByTrack<&Track::thread>},
    {"thread_name", kNone, FillTextByTrack<&Track::name>},
    {"step", kLaunches, FillStep},
    {"correlation", kNone, FillInt<IntField::kCorrelation>},
    {"launch", kLaunches, FillLaunch},
    {"operator", kBoth, FillOperator},
    {"parent", kNesting, FillParent},
    {"depth", kNesting, FillDepth},
    {"bytes", kNone, FillInt<IntField::kBytes>},
    {"external_id", kNone, FillInt<IntField::kExternalId>},
    {"sequence", kNone, FillInt<IntField::kSequence>},
    {"forward_thread", kNone, FillInt<IntField::kForwardThread>},
    {"address", kNone, FillInt<IntField::kAddress>},
    {"total_allocated", kNone, FillInt<IntField::kTotalAllocated>},
    {"total_reserved", kNone, FillInt<IntField::kTotalReserved>},
    {"group_size", kNone, FillInt<IntField::kGroupSize>},
    {"collective_sequence", kNone, FillInt<IntField::kCollectiveSequence>},
    {"in_elements", kNone, FillInt<IntField::kInElements>},
    {"out_elements", kNone, FillInt<IntField::kOutElements>},
    {"message_from", kNone, FillInt<IntField::kMessageFrom>},
    {"message_to", kNone, FillInt<IntField::kMessageTo>},
    {"wait_stream", kNone, FillInt<IntField::kWaitStream>},
    {"wait_correlation", kNone, FillInt<IntField::kWaitCorrelation>},
    {"flops", kNone, FillInt<IntField::kFlops>},
    {"bytes_accessed", kNone, FillInt<IntField::kBytesAccessed>},
    {"requested_bytes", kNone, FillInt<IntField::kRequestedBytes>},
    {"input_shapes", kNone, FillText<TextField::kInputShapes>},
    {"input_types", kNone, FillText<TextField::kInputTypes>},
    {"input_strides", kNone, FillText<TextField::kInputStrides>},
    {"input_values", kNone, FillText<TextField::kInputValues>},
    {"collective", kNone, FillText<TextField::kCollective>},
    {"data_type", kNone, FillText<TextField::kDataType>},
    {"group_name", kNone, FillText<TextField::kGroupName>},
    {"group_description", kNone, FillText<TextField::kGroupDescription>},
    {"group_ranks", kNone, FillText<TextField::kGroupRanks>},
    {"framework_op", kNone, FillText<TextField::kFrameworkOp>},
    {"hlo_op", kNone, FillText<TextField::kHloOp>},
    {"hlo_module", kNone, FillText<TextField::kHloModule>},
    {"hlo_category", kNone, FillText<TextField::kHloCategory>},
    {"source", kNone, FillText<TextField::kSource>},
    {"bandwidth", kNone, FillReal<RealField::kBandwidth>},
    {"counter_value", kNone, FillReal<RealField::kCounterValue>},
});

}  // namespace

std::span<const EventColumn> AllEventColumns() { return kFields; }

}  // namespace stepscope
