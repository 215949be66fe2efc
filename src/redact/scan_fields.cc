// What fields hold that tell it by their names: hosts, users, writers, environments, command lines.
#include <algorithm>

#include "base/ascii.h"
#include "redact/addresses.h"
#include "redact/characters.h"
#include "redact/scan.h"
#include "redact/tokens.h"

namespace stepscope::redact {

// The name of the host and its domain apart: "node17" is the same with and without.
void Scan::Host(std::string_view text) {
  if (text.empty() || IsPublicHost(text) || IsNumber(text)) {
    if (!text.empty() && AddressAt(text, 0) == text.size() && !IsPublicHost(text))
      return Put(NameKind::kAddress, text);
    out_ += text;
    return;
  }
  if (text[0] != '[' && AddressAt(text, 0) == text.size()) return Put(NameKind::kAddress, text);
  const size_t dot = std::min(text.find('.'), text.size());
  Put(NameKind::kHost, Lower(text.substr(0, dot)));
  if (dot + 1 >= text.size()) {
    out_ += text.substr(dot);
    return;
  }
  out_ += '.';
  const std::string_view domain = text.substr(dot + 1);
  if (learned_ == nullptr) Put(NameKind::kHost, Lower(domain));
}

// What a field of hosts holds: "node17", "node17:29500", "gpu[001-016],login1".
void Scan::Hosts(std::string_view text) {
  const auto apart = [](char c) { return c == ',' || c == ';' || IsBlank(c); };
  const auto in_name = [](char c) { return IsAlnum(c) || c == '.' || c == '-' || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    if (apart(text[at])) {
      out_ += text[at++];
      continue;
    }
    int depth = 0;
    const size_t end = RunEnd(text, at, [&](char c) {
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      return depth > 0 || !apart(c);
    });
    const std::string_view piece = text.substr(at, end - at);
    const size_t name_end = RunEnd(piece, 0, in_name);
    const std::string_view name = piece.substr(0, name_end);
    const bool rest_is_plain = name_end == piece.size() || piece[name_end] == '[' ||
                               (piece[name_end] == ':' && IsNumber(piece.substr(name_end + 1)));
    const bool says_nothing =
        name_end == piece.size() && IsOneOf(
                                        " true false null none cpu gpu cuda unknown n/a head "
                                        "worker x86_64 aarch64 amd64 arm64 ",
                                        name);
    if (name.empty() || !rest_is_plain || says_nothing) {
      Text(piece);
    } else {
      Host(name);
      out_ += piece.substr(name_end);
    }
    at = end;
  }
}

void Scan::User(std::string_view text) {
  const size_t end = std::min(text.find_first_of("(@"), text.size());
  const std::string_view name = text.substr(0, end);
  if (end < text.size() && text[end] == '@') return Text(text);
  if (name.empty() || IsNumber(name) || IsOneOf(" root nobody none null true false unknown ", name))
    return Text(text);
  Put(NameKind::kUser, Lower(name));
  out_ += text.substr(end);
}

// host/rank/boot/process/random, of which boot tells the machine.
void Scan::Writer(std::string_view text) {
  constexpr std::string_view kLog = "log/";
  const size_t host_end = text.find('/');
  if (text.starts_with(kLog)) return Text(text);
  if (host_end == text.npos) return Hosts(text);
  Hosts(text.substr(0, host_end));
  const size_t rank_end = text.find('/', host_end + 1);
  const size_t boot_end = rank_end == text.npos ? text.npos : text.find('/', rank_end + 1);
  if (boot_end == text.npos) return Text(text.substr(host_end));
  out_ += text.substr(host_end, rank_end + 1 - host_end);
  const std::string_view boot = text.substr(rank_end + 1, boot_end - rank_end - 1);
  if (!boot.empty()) Put(NameKind::kValue, boot);
  out_ += text.substr(boot_end);
}

void Scan::Secret(std::string_view text) {
  if (IsBlank(text.empty() ? ' ' : text[0]) ||
      IsOneOf(" true false null none yes no enabled disabled ", text))
    return Text(text);
  if (learned_ != nullptr) learned_->AddSecret(text);
  Put(NameKind::kSecret, text);
}

// The name of a variable stays.
void Scan::Environment(std::string_view text) {
  const bool kept = rules_.Keeps(NameKind::kValue);
  if (kept || learned_ != nullptr) return Text(text);
  const auto in_name = [](char c) { return (IsAlnum(c) && !(c & 0x80)) || c == '_'; };
  const size_t name_end = RunEnd(text, 0, in_name);
  const bool named = name_end > 0 && name_end < text.size() && text[name_end] == '=';
  const size_t begin = named ? name_end + 1 : 0;
  out_ += text.substr(0, begin);
  if (begin < text.size()) Put(NameKind::kValue, text.substr(begin));
}

// The names of options stay.
void Scan::Command(std::string_view text) {
  const bool kept = rules_.Keeps(NameKind::kValue);
  if (kept || learned_ != nullptr) return Text(text);
  constexpr size_t kLongestOption = 40;
  const auto in_option = [](char c) { return (IsAlnum(c) && !(c & 0x80)) || c == '-' || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    if (IsBlank(text[at])) {
      out_ += text[at++];
      continue;
    }
    const size_t end = RunEnd(text, at, [](char c) { return !IsBlank(c); });
    const size_t name_end = RunEnd(text, at, in_option);
    const bool option = text[at] == '-' && name_end - at <= kLongestOption &&
                        (name_end == end || text[name_end] == '=');
    if (option) {
      FileName(text.substr(at, name_end - at));
      at = name_end;
      if (at < end) out_ += text[at++];
    }
    if (at < end) Put(NameKind::kValue, text.substr(at, end - at));
    at = end;
  }
}

void Scan::Hinted(std::string_view text, Hint hint) {
  switch (hint) {
    case Hint::kHost:
      return Hosts(text);
    case Hint::kUser:
      return User(text);
    case Hint::kPath:
      // Of a list of paths, and of a URL, each part by itself.
      if (text.find_first_of("/\\") == text.npos || text.find(':', 2) != text.npos)
        return Text(text);
      return Path(text);
    case Hint::kSecret:
      return Secret(text);
    case Hint::kWriter:
      return Writer(text);
    case Hint::kEnvironment:
      return Environment(text);
    case Hint::kCommand:
      return Command(text);
    case Hint::kHash:
      random_ = false;
      return Text(text);
    case Hint::kMaybeSecret:
    case Hint::kNone:
      return Text(text);
  }
}

}  // namespace stepscope::redact
