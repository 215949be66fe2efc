// Walks the text by its index of tokens.
#include "export/event_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/ascii.h"
#include "ingest/common/perfetto_fields.h"
#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

namespace fields = perfetto;

constexpr size_t kPadding = 64;
constexpr size_t kExactDigits = 15;  // that every double holds

std::string Plain(std::string_view token) {
  std::string scratch;
  return std::string(Trimmed(TextOf(token, scratch)));
}

// As it is within quotes, spaces and all.
std::string Unquoted(std::string_view token) {
  std::string scratch;
  return std::string(TextOf(token, scratch));
}

template <class Number>
std::optional<Number> Whole(std::string_view token) {
  Number number{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return number;
}

// Numbers that no type of the format holds exactly stay as JSON.
void WriteValue(pbf_writer& annotation, std::string_view token, PerfettoPackets& packets) {
  if (token.starts_with('"')) {
    const std::string text = Unquoted(token);
    annotation.add_uint64(fields::kTextIid, packets.Intern(PerfettoPackets::kAnnotationText, text));
  } else if (token == "true" || token == "false") {
    annotation.add_bool(fields::kBool, token == "true");
  } else if (const auto number = Whole<int64_t>(token)) {
    annotation.add_int64(fields::kInt, *number);
  } else if (const auto large = Whole<uint64_t>(token)) {
    annotation.add_uint64(fields::kUint, *large);
  } else if (const auto real = Whole<double>(token);
             real && std::isfinite(*real) && token.size() <= kExactDigits) {
    annotation.add_double(fields::kReal, *real);
  } else {
    annotation.add_string(fields::kJson, token);
  }
}

}  // namespace

std::optional<double> NumberOf(std::string_view token) { return RealNumber(token); }

std::string JsonEvent::Arg(std::string_view wanted) const {
  const auto at =
      std::ranges::find(args, wanted, &std::pair<std::string_view, std::string_view>::first);
  return at == args.end() ? std::string() : Plain(at->second);
}

const JsonEvent& EventFields::Read(std::string_view text) {
  event_.phase = 0;
  event_.has_category = false;
  event_.args.clear();
  for (std::string* field : {&event_.category, &event_.name, &event_.pid, &event_.tid, &event_.id})
    field->clear();
  text_.assign(text);
  text_.append(kPadding, '\0');
  if (index_.Index(text_.data(), text_.data() + text.size()) != JsonIndex::Outcome::kIndexed)
    return event_;
  JsonWalk walk(index_);
  walk.Advance();
  while (walk.Peek() == '"') {
    const std::string_view key = walk.PeekString();
    walk.Advance();
    if (!walk.Consume(':')) break;
    if (key == "args" && walk.Peek() == '{') {
      JsonWalk args = walk;
      args.Advance();
      while (args.Peek() == '"') {
        const std::string_view name = args.PeekString();
        args.Advance();
        if (!args.Consume(':')) break;
        event_.args.emplace_back(name, Trimmed(args.TakeValue()));
        if (!args.Consume(',')) break;
      }
    }
    const std::string_view token = walk.TakeValue();
    if (token.empty()) break;
    if (key == "ph") event_.phase = token.size() > 2 ? token[1] : '\0';
    if (key == "cat") event_.category = Unquoted(token);
    if (key == "cat") event_.has_category = true;
    if (key == "name") event_.name = Unquoted(token);
    if (key == "pid") event_.pid = Plain(token);
    if (key == "tid") event_.tid = Plain(token);
    if (key == "id") event_.id = Plain(token);
    if (!walk.Consume(',')) break;
  }
  return event_;
}

void EventFields::Write(const JsonEvent& event, PerfettoPackets& packets, std::string& body) {
  pbf_writer writer(body);
  if (event.has_category)
    writer.add_uint64(fields::kCategoryIid,
                      packets.Intern(PerfettoPackets::kCategory, event.category));
  writer.add_uint64(fields::kNameIid, packets.Intern(PerfettoPackets::kName, event.name));
  std::string scratch;
  for (const auto& [name, value] : event.args) {
    pbf_writer annotation(writer, fields::kAnnotation);
    scratch = "\"";
    scratch.append(name);
    scratch += '"';
    annotation.add_uint64(fields::kAnnotationIid,
                          packets.Intern(PerfettoPackets::kAnnotationName, Unquoted(scratch)));
    WriteValue(annotation, value, packets);
  }
}

}  // namespace stepscope
