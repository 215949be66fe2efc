// Has a Scan do the work.
#include "redact/redactor.h"

#include "base/secret.h"
#include "redact/characters.h"
#include "redact/scan.h"

namespace stepscope::redact {
namespace {

// The host in a file name as PyTorch's and TensorFlow's profilers make it:
// "node17_4321.1700000000.pt.trace.json.gz", "node17.xplane.pb"; empty: none.
std::string_view HostOfFileName(std::string_view name) {
  const size_t profile = name.find(".xplane.pb");
  if (profile != name.npos)
    return name.starts_with("rank") ? std::string_view() : name.substr(0, profile);
  const size_t end = name.find(".pt.trace.json");
  if (end == name.npos) return {};
  name = name.substr(0, end);
  const size_t process = name.rfind('_');
  if (process == name.npos || process + 1 == name.size()) return {};
  const auto is_number = [](char c) { return IsDigit(c) || c == '.'; };
  const bool numbers = RunEnd(name, process + 1, is_number) == name.size();
  const std::string_view host = name.substr(0, process);
  return numbers && !host.starts_with("rank") ? host : std::string_view();
}

// The text with "/" for each slash behind backslashes, as JSON writes it, and JSON within JSON.
// Empty: the text has none such.
std::string WithPlainSlashes(std::string_view text) {
  std::string plain;
  if (!text.contains("\\/")) return plain;
  plain.reserve(text.size());
  for (const char c : text) {
    while (c == '/' && plain.ends_with('\\')) plain.pop_back();
    plain += c;
  }
  return plain;
}

}  // namespace

Redactor::Redactor(const RedactorOptions& options)
    : rules_{.hash = SipHash(options.key),
             .kept = options.kept,
             .is_library = options.is_library,
             .known = {}} {}

std::string Redactor::Text(std::string_view text, Hint hint) const {
  const std::string plain = WithPlainSlashes(text);
  const std::string_view meant = plain.empty() ? text : std::string_view(plain);
  Scan scan(rules_, nullptr);
  scan.Hinted(meant, hint);
  std::string out = std::move(scan).Take();
  return out == meant ? std::string(text) : out;
}

std::string Redactor::FileName(std::string_view name) const {
  const std::string_view host = HostOfFileName(name);
  Scan scan(rules_, nullptr);
  if (!host.empty()) scan.Hinted(host, Hint::kHost);
  scan.FileName(name.substr(host.size()));
  return std::move(scan).Take();
}

std::string Redactor::GivenPath(std::string_view path) const {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return FileName(path);
  const std::string_view directory = path.substr(0, slash);
  const bool plain = directory.empty() || directory == "." || directory == "..";
  std::string given(plain ? directory : path.substr(0, path.starts_with('/') ? 1 : 0));
  if (!plain) given += rules_.Pseudonym(NameKind::kPath, directory);
  return given + "/" + FileName(path.substr(slash + 1));
}

void Redactor::Learn(std::string_view text, Hint hint, KnownWords& words) const {
  const std::string plain = WithPlainSlashes(text);
  Scan(rules_, &words).Hinted(plain.empty() ? text : std::string_view(plain), hint);
}

void Redactor::LearnFileName(std::string_view name, KnownWords& words) const {
  const std::string_view host = HostOfFileName(name);
  if (!host.empty()) Scan(rules_, &words).Hinted(host, Hint::kHost);
}

Result<Redactor> MakeRedactor(std::span<const std::string> keep, std::string key,
                              bool (*is_library)(std::string_view file)) {
  auto kept = ParseKept(keep);
  if (!kept) return std::unexpected(kept.error());
  if (key.empty()) {
    auto random = NewSecret();
    if (!random) return std::unexpected(random.error());
    key = std::move(*random);
  }
  return Redactor({.key = std::move(key), .kept = *kept, .is_library = is_library});
}

}  // namespace stepscope::redact
