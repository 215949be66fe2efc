// Reads the few lines it needs of a YAML file of flat keys.
#include "ingest/parquet/job_layout.h"

#include <charconv>
#include <filesystem>
#include <span>
#include <vector>

#include "base/byte_source.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = size_t{64} << 10;

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<int64_t> PositiveNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

std::optional<int64_t>* FieldOf(JobLayout& layout, std::string_view key) {
  if (key == "dp_size") return &layout.dp;
  if (key == "dsp_size") return &layout.dsp;
  if (key == "pp_size") return &layout.pp;
  if (key == "tp_size") return &layout.tp;
  return key == "world_size" ? &layout.devices : nullptr;
}

std::vector<fs::path> LayoutNames(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::string bare = stem.starts_with("trace-") ? stem.substr(6) : stem;
  std::vector<fs::path> names;
  for (const std::string& name : {"meta-" + bare, bare})
    for (const std::string_view suffix : {".yaml", ".yml"})
      names.push_back(path.parent_path() / (name + std::string(suffix)));
  return names;
}

}  // namespace

JobLayout ReadLayout(std::string_view text) {
  JobLayout layout;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    if (auto* field = FieldOf(layout, Trimmed(line.substr(0, colon)))) {
      const std::string_view value = line.substr(colon + 1);
      *field = PositiveNumber(Trimmed(value.substr(0, value.find('#'))));
    }
  }
  return layout;
}

std::optional<JobLayout> LayoutBeside(const std::string& path) {
  for (const fs::path& name : LayoutNames(path)) {
    std::error_code none;
    if (!fs::is_regular_file(name, none)) continue;
    auto source = ByteSource::Open(name.string());
    if (!source) continue;
    JobLayout layout = ReadLayout(ReadUpTo(*source, kMostBytes));
    layout.path = name.string();
    if (layout.dp || layout.pp || layout.devices) return layout;
  }
  return std::nullopt;
}

}  // namespace stepscope
