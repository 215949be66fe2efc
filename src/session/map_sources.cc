// Looks at files and their ends.
#include "session/map_sources.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <utility>

#include "base/json_writer.h"
#include "ingest/partial/partial_file.h"
#include "partials/partial_table.h"

namespace stepscope {
namespace {

// Of what a file begins and ends with; of one in a storage, nothing: it has a version.
uint64_t HashOfEnds(const std::string& path, int64_t bytes) {
  constexpr int64_t kSeen = 65536;
  std::ifstream in(path, std::ios::binary);
  std::string seen(static_cast<size_t>(2 * kSeen), '\0');
  in.read(seen.data(), kSeen);
  std::streamsize count = in.gcount();
  in.clear();
  in.seekg(std::max<int64_t>(0, bytes - kSeen));
  in.read(seen.data() + count, kSeen);
  count += in.gcount();
  return XXH3_64bits(seen.data(), static_cast<size_t>(count));
}

}  // namespace

std::string SourcesOf(std::span<const std::string> files, const Places& places) {
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Text("stepscope", STEPSCOPE_VERSION);
  json.Key("files");
  json.BeginArray(JsonWriter::Form::kCompact);
  for (const std::string& file : files) {
    const auto item = places.Find(file);
    json.BeginObject(JsonWriter::Form::kCompact);
    json.Text("path", file);
    if (item) {
      json.Number("bytes", item->bytes);
      json.Number("written", item->written);
      json.Text("version", fmt::format("{:x}", item->version));
    }
    if (item && !places.Stored(file))
      json.Text("ends", fmt::format("{:016x}", HashOfEnds(file, item->bytes)));
    json.End();
  }
  json.End();
  json.End();
  return std::move(json).Take();
}

std::string PathsAsJson(std::span<const std::string> paths) {
  JsonWriter json;
  json.BeginArray(JsonWriter::Form::kCompact);
  for (const std::string& path : paths) json.String(path);
  json.End();
  return std::move(json).Take();
}

bool ArePartials(const std::string& path) {
  auto source = Places().Open(path);
  return source && OpenPartials(*std::move(source)).has_value();
}

std::string SourcesIn(const std::string& partials) {
  auto source = Places().Open(partials);
  if (!source) return "";
  const auto file = OpenPartials(*std::move(source));
  if (!file) return "";
  const std::string* found = file->metadata().About(kPartialSourcesKey);
  return found == nullptr ? "" : *found;
}

}  // namespace stepscope
