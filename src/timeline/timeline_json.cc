// Writes a viewer's answers as JSON.
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "language/words_json.h"
#include "stepscope/timeline.h"

namespace stepscope {
namespace {

using Form = JsonWriter::Form;

void Write(JsonWriter& json, const TimelineRank& rank) {
  json.BeginObject(Form::kOneLine);
  json.Number("rank", rank.rank);
  json.Number("window", rank.window);
  json.Text("name", rank.name);
  json.Key("aligned");
  json.Bool(rank.aligned);
  json.Number("own_begin", rank.own_begin);
  json.Number("own_end", rank.own_end);
  json.End();
}

void Write(JsonWriter& json, const TimelineStep& step) {
  json.BeginObject(Form::kOneLine);
  json.Number("rank_index", step.rank_index);
  json.Number("number", step.number);
  json.Number("start", step.start);
  json.Number("end", step.end);
  json.End();
}

void Write(JsonWriter& json, const TimelineTrack& track, int64_t id) {
  json.BeginObject(Form::kOneLine);
  json.Number("id", id);
  json.Number("rank_index", track.rank_index);
  json.Text("kind", TrackKindName(track.kind));
  json.Text("group", track.group);
  json.Text("name", track.name);
  json.Number("rows", track.rows);
  json.Number("events", static_cast<int64_t>(track.events));
  json.Text("unit", track.unit);
  json.Key("max");
  json.Double(track.max);
  json.End();
}

// The keys of an event, into an object that is open.
void Keys(JsonWriter& json, const TimelineEvent& event) {
  json.Number("track", event.ref.track);
  json.Number("event", event.ref.event);
  json.Text("name", event.name);
  json.Text("kind", event.kind);
  json.Number("row", event.row);
  json.Number("start", event.start);
  json.Number("duration", event.duration);
}

void Write(JsonWriter& json, const EventField& field) {
  json.BeginObject(Form::kOneLine);
  json.Text("key", field.key);
  json.Text("title", field.title);
  json.Key("value");
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    json.String(*text);
  } else if (const auto* number = std::get_if<int64_t>(&field.value)) {
    json.Int(*number);
  } else if (const auto* real = std::get_if<double>(&field.value)) {
    json.Double(*real);
  } else {
    json.Null();
  }
  json.Text("unit", UnitName(field.unit));
  json.End();
}

void Write(JsonWriter& json, const EventLink& link) {
  json.BeginObject(Form::kOneLine);
  json.Text("relation", LinkKindName(link.kind));
  Keys(json, link.event);
  json.Number("rank_index", link.event.rank_index);
  json.Number("end", link.event.start + link.event.duration);
  json.End();
}

void WriteOne(JsonWriter& json, const TimelineEvent& event) {
  json.BeginObject(Form::kOneLine);
  Keys(json, event);
  json.Number("rank_index", event.rank_index);
  json.End();
}

}  // namespace

std::string ToJson(const Timeline& timeline) {
  JsonWriter json;
  json.BeginObject();
  json.Number("end", timeline.end());
  json.Number("work_begin", timeline.work_begin());
  json.Number("work_end", timeline.work_end());
  json.Number("events", static_cast<int64_t>(timeline.events()));
  json.Number("left_out", static_cast<int64_t>(timeline.left_out()));
  json.Key("ranks");
  json.BeginArray();
  for (const TimelineRank& rank : timeline.ranks()) Write(json, rank);
  json.End();
  json.Key("steps");
  json.BeginArray();
  for (const TimelineStep& step : timeline.steps()) Write(json, step);
  json.End();
  json.Key("tracks");
  json.BeginArray();
  int64_t id = 0;
  for (const TimelineTrack& track : timeline.tracks()) Write(json, track, id++);
  json.End();
  json.Key("kinds");
  json.BeginArray(Form::kOneLine);
  for (const std::string_view kind : timeline.kinds()) json.String(kind);
  json.End();
  json.Key("column_kinds");
  json.BeginArray(Form::kOneLine);
  for (const ColumnKind kind : timeline.column_kinds()) json.String(ColumnKindName(kind));
  json.End();
  std::vector<Phrase> names;
  for (const TimelineTrack& track : timeline.tracks())
    names.insert(names.end(), {track.group, track.name});
  PutWords(json, kOtherLanguages, [&](Language other) { return WordsIn(other, names); });
  json.End();
  return std::move(json).Take();
}

std::string ToJson(const EventDetails& details, const Timeline& timeline) {
  const TimelineRank& rank = timeline.ranks()[details.event.rank_index];
  JsonWriter json;
  json.BeginObject();
  Keys(json, details.event);
  json.Number("rank", rank.rank);
  json.Number("rank_index", details.event.rank_index);
  json.Key("fields");
  json.BeginArray();
  std::vector<Phrase> titles;
  for (const EventField& field : details.fields) {
    Write(json, field);
    titles.emplace_back(field.title);
  }
  json.End();
  PutWords(json, kOtherLanguages, [&](Language other) { return WordsIn(other, titles); });
  json.Key("stack");
  json.BeginArray();
  for (const TimelineEvent& event : details.stack) WriteOne(json, event);
  json.End();
  json.Key("links");
  json.BeginArray();
  for (const EventLink& link : details.links) Write(json, link);
  json.End();
  json.End();
  return std::move(json).Take();
}

std::string ToJson(const TimelineMatches& matches) {
  JsonWriter json;
  json.BeginObject();
  json.Number("place", static_cast<int64_t>(matches.place));
  json.Number("total", static_cast<int64_t>(matches.total));
  json.Key("matches");
  json.BeginArray();
  for (const TimelineEvent& event : matches.matches) WriteOne(json, event);
  json.End();
  json.End();
  return std::move(json).Take();
}

std::string ToJson(const TimelineHits& hits) {
  JsonWriter json;
  json.BeginObject();
  json.Key("rows");
  json.BeginArray();
  for (const TimelineHits::Row& row : hits.rows) {
    json.BeginObject(Form::kOneLine);
    json.Number("rank_index", row.rank_index);
    json.Number("track", row.track);
    json.Number("row", row.row);
    json.Key("stretches");
    json.BeginArray(Form::kOneLine);
    for (const auto& [first, last] : row.stretches) {
      json.Int(first);
      json.Int(last);
    }
    json.End();
    json.End();
  }
  json.End();
  json.End();
  return std::move(json).Take();
}

}  // namespace stepscope
