// One walk over a text, which writes it without what is private, or learns from it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "redact/hints.h"
#include "redact/rules.h"

namespace stepscope::redact {

class Scan {
 public:
  // Learns if `learned` is not null.
  Scan(const Rules& rules, KnownWords* learned) : rules_(rules), learned_(learned) {}

  void Hinted(std::string_view text, Hint hint);
  void Text(std::string_view text);
  // Without a look for paths.
  void FileName(std::string_view name);
  void Path(std::string_view path);
  std::string Take() && { return std::move(out_); }

 private:
  size_t NameAt(std::string_view text, size_t at);
  size_t UrlAt(std::string_view text, size_t at);
  size_t UserAtHost(std::string_view text, size_t at);
  size_t PairAt(std::string_view text, size_t at);
  size_t PathAt(std::string_view text, size_t at);
  size_t SecretAt(std::string_view text, size_t at);
  size_t KnownAt(std::string_view text, size_t at);

  void Authority(std::string_view text, bool store);
  void Query(std::string_view text);
  void Host(std::string_view text);
  void Hosts(std::string_view text);
  void User(std::string_view text);
  void Writer(std::string_view text);
  void Secret(std::string_view text);
  void Environment(std::string_view text);
  void Command(std::string_view text);
  void Words(std::string_view text, bool paths);
  void Put(NameKind kind, std::string_view text);

  const Rules& rules_;
  KnownWords* learned_;
  bool paths_ = true;
  bool random_ = true;
  size_t checked_ = 0;  // up to here no relative path begins
  std::string out_;
};

}  // namespace stepscope::redact
