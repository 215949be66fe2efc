// Chooses the writer for a format.
#include "stepscope/write.h"

namespace stepscope {

std::optional<Format> ParseFormat(std::string_view name) {
  if (name == "text") return Format::kText;
  if (name == "json") return Format::kJson;
  if (name == "csv") return Format::kCsv;
  if (name == "markdown" || name == "md") return Format::kMarkdown;
  return std::nullopt;
}

std::string Write(const ReportSet& answer, Format format, const TextStyle& style) {
  switch (format) {
    case Format::kText:
      return ToText(answer, style);
    case Format::kJson:
      return ToJson(answer, {}, style.language);
    case Format::kCsv:
      return ToCsv(answer);
    case Format::kMarkdown:
      return ToMarkdown(answer, style.language);
  }
  return {};
}

}  // namespace stepscope
