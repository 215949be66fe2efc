// Tries at the beginning of each word what may begin there. Whatever looks beyond the word is
// bounded, or is consumed: a walk is linear.
#include "redact/scan.h"

#include <algorithm>

#include "base/ascii.h"
#include "redact/addresses.h"
#include "redact/characters.h"
#include "redact/paths.h"
#include "redact/tokens.h"

namespace stepscope::redact {
namespace {

constexpr std::string_view kBeginsPath = "/~\\.";

bool IsMangled(char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '$'; }

bool IsUrlCharacter(char c) {
  return !IsBlank(c) && !std::string_view("\"'<>()[]{}|;,\\`").contains(c);
}

// Of stores of objects the first name is a bucket, not a host.
bool IsObjectStore(std::string_view scheme) {
  return IsOneOf(" s3 s3a s3n gs gcs abfs abfss wasb wasbs oss az adl r2 b2 cos obs hf dbfs ",
                 scheme);
}

}  // namespace

void Scan::Put(NameKind kind, std::string_view text) {
  if (learned_ == nullptr) {
    out_ += rules_.Pseudonym(kind, text);
  } else if (kind == NameKind::kHost || kind == NameKind::kUser) {
    learned_->Add(kind, text);
  }
}

void Scan::Text(std::string_view text) { Words(text, /*paths=*/true); }
void Scan::FileName(std::string_view name) { Words(name, /*paths=*/false); }

void Scan::Words(std::string_view text, bool paths) {
  const bool before = std::exchange(paths_, paths);
  const size_t checked = std::exchange(checked_, 0);
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool begins = at == 0 || !IsAlnum(text[at - 1]);
    const bool word = IsAlnum(c) || c == '_';
    if (begins && text.substr(at).starts_with("_Z")) {  // a mangled name of C++
      const size_t end = RunEnd(text, at, IsMangled);
      out_ += text.substr(at, end - at);
      at = end;
      continue;
    }
    if (begins && (word || c == '-' || kBeginsPath.contains(c))) {
      if (const size_t size = NameAt(text, at); size > 0) {
        at += size;
        continue;
      }
    }
    const size_t end = word ? RunEnd(text, at, IsAlnum) : at;
    out_ += text.substr(at, std::max<size_t>(end - at, 1));
    at = std::max(end, at + 1);
  }
  paths_ = before;
  checked_ = checked;
}

// Writes what begins at `at` and is private, and returns its size.
size_t Scan::NameAt(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '-') {
    const size_t pem = PemAt(text, at);
    if (pem > 0) Put(NameKind::kSecret, text.substr(at, pem));
    return pem;
  }
  if (!IsAlnum(c)) {
    if (const size_t size = PathAt(text, at); size > 0 || c != '_') return size;
    return SecretAt(text, at);
  }
  for (const auto find : {&Scan::UrlAt, &Scan::UserAtHost, &Scan::SecretAt, &Scan::PairAt,
                          &Scan::PathAt, &Scan::KnownAt}) {
    if (const size_t size = (this->*find)(text, at); size > 0) return size;
  }
  return 0;
}

size_t Scan::UrlAt(std::string_view text, size_t at) {
  constexpr size_t kLongestScheme = 24;
  const auto in_scheme = [](char c) { return IsAlnum(c) || c == '+' || c == '-' || c == '.'; };
  const size_t scheme_end = RunEnd(text, at, in_scheme, kLongestScheme);
  if (!text.substr(scheme_end).starts_with("://")) return 0;
  const std::string_view scheme = text.substr(at, scheme_end - at);
  const size_t begin = scheme_end + 3;
  size_t end = RunEnd(text, begin, IsUrlCharacter);
  while (end > begin && (text[end - 1] == '.' || text[end - 1] == ':')) --end;
  out_ += text.substr(at, begin - at);
  const std::string_view url = text.substr(begin, end - begin);
  const size_t authority_end = std::min(url.find_first_of("/?#"), url.size());
  const size_t path_end = std::min(url.find_first_of("?#"), url.size());
  Authority(url.substr(0, authority_end), IsObjectStore(scheme));
  const std::string_view path = url.substr(authority_end, path_end - authority_end);
  if (path.size() > 1)
    Path(path);
  else
    out_ += path;
  Query(url.substr(path_end));
  return end - at;
}

// user:password@host:port, or a bucket.
void Scan::Authority(std::string_view text, bool store) {
  if (const size_t info = text.rfind('@'); info != text.npos) {
    const std::string_view user = text.substr(0, std::min(info, text.find(':')));
    if (!user.empty()) Put(NameKind::kUser, user);
    if (user.size() < info) {
      out_ += ':';
      Put(NameKind::kSecret, text.substr(user.size() + 1, info - user.size() - 1));
    }
    out_ += '@';
    text.remove_prefix(info + 1);
  }
  const size_t port = std::min(text.rfind(':'), text.size());
  const bool has_port = port < text.size() && IsNumber(text.substr(port + 1));
  const std::string_view host = has_port ? text.substr(0, port) : text;
  if (store && !host.empty())
    Put(NameKind::kPath, host);
  else
    Host(host);
  out_ += text.substr(host.size());
}

void Scan::Query(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t next = std::min(text.find_first_of("&?#", at + 1), text.size());
    const std::string_view part = text.substr(at, next - at);
    const size_t equals = std::min(part.find('='), part.size());
    out_ += part.substr(0, std::min(equals + 1, part.size()));
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (IsNumber(value) || value.starts_with("0x"))
      out_ += value;
    else if (!value.empty())
      Put(NameKind::kValue, value);
    at = next;
  }
}

// A name without a dot too: not "name@plt", and not "torch@2.1".
size_t Scan::UserAtHost(std::string_view text, size_t at) {
  constexpr size_t kLongestUser = 64, kLongestHost = 255, kShortestHost = 3;
  const auto in_user = [](char c) { return IsAlnum(c) || std::string_view("._%+-").contains(c); };
  const auto in_host = [](char c) { return IsAlnum(c) || c == '.' || c == '-'; };
  const size_t user_end = RunEnd(text, at, in_user, kLongestUser);
  if (user_end + kShortestHost >= text.size() || text[user_end] != '@') return 0;
  const size_t host_begin = user_end + 1;
  size_t end = RunEnd(text, host_begin, in_host, kLongestHost);
  while (end > host_begin && !IsAlnum(text[end - 1])) --end;
  const std::string_view host = text.substr(host_begin, end - host_begin);
  if (host.size() < kShortestHost || IsOneOf(" plt got gotpcrel ", host)) return 0;
  const bool address = AddressAt(text, host_begin) == host.size();
  if (!address && !IsAlpha(host[0])) return 0;
  const std::string_view user = text.substr(at, user_end - at);
  // As logins are written; "Dequeue@aclnnAdd" is an operator.
  const bool login = !std::ranges::any_of(text.substr(at, end - at), IsUpper);
  if (!address && !login && !host.contains('.')) return 0;
  if (IsOneOf(" git ", user))
    out_ += user;
  else
    Put(NameKind::kUser, user);
  out_ += '@';
  Host(host);
  return end - at;
}

size_t Scan::SecretAt(std::string_view text, size_t at) {
  size_t size = TokenAt(text, at);
  if (size == 0 && random_) size = RandomAt(text, at);
  if (size > 0) Put(NameKind::kSecret, text.substr(at, size));
  return size;
}

// key=value, "key": "value", --key value.
size_t Scan::PairAt(std::string_view text, size_t at) {
  constexpr size_t kLongestKey = 64;
  const auto in_key = [](char c) { return IsAlnum(c) || c == '_' || c == '-' || c == '.'; };
  const size_t key_end = RunEnd(text, at, in_key, kLongestKey + 1);
  if (key_end - at > kLongestKey || key_end + 1 >= text.size()) return 0;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto quote = [](char c) { return c == '"' || c == '\'' || c == '\\'; };
  const size_t unquoted = RunEnd(text, key_end, quote, 2);
  const size_t sign = RunEnd(text, unquoted, blank, 4);
  if (sign >= text.size()) return 0;
  const bool equals = text[sign] == '=', colon = text[sign] == ':';
  const bool option = sign > key_end && at > 0 && text[at - 1] == '-';
  if (!equals && !colon && !option) return 0;
  const std::string_view key = text.substr(at, key_end - at);
  const Hint hint = IsOneOf(" bearer basic ", key) ? Hint::kNone : HintOf(key);
  if (hint == Hint::kNone || hint == Hint::kHash) return 0;
  const size_t value = RunEnd(text, equals || colon ? sign + 1 : sign, blank, 4);
  const size_t begin = RunEnd(text, value, quote, 2);
  if (begin >= text.size() || text[begin] == ':' || text[begin] == '=') return 0;
  const bool quoted = begin > value;
  const auto in_quotes = [](char c) { return c != '"' && c != '\'' && c != '\\' && c != '\n'; };
  const auto in_value = [](char c) {
    return !IsBlank(c) && !std::string_view("\"'\\,;&)]}|<>").contains(c);
  };
  size_t end = quoted ? RunEnd(text, begin, in_quotes) : RunEnd(text, begin, in_value);
  if (!quoted && IsOneOf(" bearer basic ", text.substr(begin, end - begin)))
    end = RunEnd(text, RunEnd(text, end, blank, 4), in_value);
  const std::string_view of_key = text.substr(begin, end - begin);
  if (of_key.empty()) return 0;
  // "host: node17" on a line of its own, and not "a ? host : device".
  const bool begins = at == 0 || text[at - 1] == '\n' || IsBlank(text[at - 1]);
  const bool line = colon && begins && sign == key_end && begin > sign + 1 &&
                    of_key.find_first_of("0123456789-") != of_key.npos;
  const bool strong = equals || quoted || option || line;
  const bool is_type = IsOneOf(" str int bool float none tensor bytes any optional ", of_key);
  const bool takes = hint == Hint::kSecret        ? !is_type
                     : hint == Hint::kMaybeSecret ? equals && !IsNumber(of_key)
                     : hint == Hint::kPath ? strong && of_key.find_first_of("/\\") != of_key.npos
                                           : strong && !is_type;
  if (!takes) return 0;
  const bool counter = IsNumber(of_key) && IsOneOf(" token key signature uid pin ", key);
  out_ += text.substr(at, begin - at);
  if (counter)
    out_ += of_key;
  else if (hint == Hint::kMaybeSecret)
    Put(NameKind::kSecret, of_key);
  else
    Hinted(of_key, hint);
  return end - at;
}

size_t Scan::PathAt(std::string_view text, size_t at) {
  if (!paths_) return 0;
  if (const size_t size = AbsolutePathAt(text, at); size > 0) {
    Path(text.substr(at, size));
    return size;
  }
  if (at < checked_) return 0;
  const size_t size = RelativeFileAt(text, at);
  if (size == 0) {
    checked_ = RelativeRunEnd(text, at);
    return 0;
  }
  const std::string_view path = text.substr(at, size);
  const auto is_library = rules_.is_library;
  const bool private_root = path.starts_with('_');
  if (IsOfPublicSources(path) || (is_library != nullptr && !private_root && is_library(path)))
    FileName(path);
  else
    Path(path);
  return size;
}

void Scan::Path(std::string_view path) {
  const std::string_view user = UserOf(path);
  if (learned_ != nullptr && !user.empty()) learned_->Add(NameKind::kUser, user);
  const PathParts parts = PartsOf(path);
  const bool kept = rules_.Keeps(NameKind::kPath);
  if (kept || learned_ != nullptr) {
    const size_t at = user.empty() ? 0 : static_cast<size_t>(user.data() - path.data());
    FileName(path.substr(0, at));
    if (!user.empty()) Put(NameKind::kUser, user);
    return FileName(path.substr(at + user.size()));
  }
  if (parts.open) {
    out_ += parts.head;
  } else {
    if (path.starts_with('/')) out_ += '/';
    if (path.starts_with('_')) out_ += '_';  // what is a library's stays one
    Put(NameKind::kPath, parts.head);
  }
  constexpr std::string_view kInductor = "/torchinductor_";
  std::string_view tail = parts.tail;
  if (tail.starts_with(kInductor)) {
    const size_t end = std::min(tail.find('/', 1), tail.size());
    out_ += kInductor;
    User(tail.substr(kInductor.size(), end - kInductor.size()));
    tail.remove_prefix(end);
  }
  const bool random = std::exchange(random_, random_ && !parts.tail_is_library);
  FileName(tail);
  random_ = random;
}

// Names without a field of their own: addresses, full names of hosts, and known words.
size_t Scan::KnownAt(std::string_view text, size_t at) {
  if (const size_t size = AddressAt(text, at); size > 0) {
    Put(NameKind::kAddress, text.substr(at, size));
    return size;
  }
  if (const size_t size = HostAt(text, at); size > 0) {
    Host(text.substr(at, size));
    return size;
  }
  const auto known = rules_.known.At(text, at);
  if (!known) return 0;
  const std::string_view word = text.substr(at, known->size);
  if (known->kind == NameKind::kHost)
    Host(word);
  else
    Put(known->kind, known->kind == NameKind::kSecret ? std::string(word) : Lower(word));
  return known->size;
}

}  // namespace stepscope::redact
