// Turns nlohmann's events, which come without recursion, into paths.
#include "ingest/common/json_records.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json_bytes.h"

namespace stepscope {
namespace {

constexpr size_t kDeepest = 64;

class Walk : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Walk(JsonVisitor& visitor) : visitor_(visitor) {}

  bool null() override { return true; }
  bool boolean(bool value) override {
    visitor_.Number(path_, value ? 1 : 0);
    return true;
  }
  bool number_integer(int64_t value) override {
    visitor_.Number(path_, value);
    return true;
  }
  bool number_unsigned(uint64_t value) override {
    if (std::in_range<int64_t>(value)) visitor_.Number(path_, static_cast<int64_t>(value));
    return true;
  }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string& text) override {
    visitor_.Text(path_, text);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool key(std::string& text) override {
    path_.resize(open_.back().path);
    if (!path_.empty()) path_ += '/';
    path_ += text;
    return true;
  }
  bool start_object(size_t) override { return Open(/*is_object=*/true); }
  bool start_array(size_t) override { return Open(/*is_object=*/false); }
  bool end_object() override {
    Close();
    return true;
  }
  bool end_array() override {
    Close();
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  struct Container {
    size_t path = 0;  // its length
    bool is_object = false, is_element = false;
  };

  bool Open(bool is_object) {
    if (open_.size() >= kDeepest) return false;
    const bool is_element = is_object && !open_.empty() && !open_.back().is_object;
    open_.push_back({path_.size(), is_object, is_element});
    if (is_element) visitor_.BeginElement(path_);
    return true;
  }
  void Close() {
    const Container closed = open_.back();
    open_.pop_back();
    path_.resize(closed.path);
    if (closed.is_element) visitor_.EndElement(path_);
  }

  JsonVisitor& visitor_;
  std::string path_;
  std::vector<Container> open_;
};

// Reads to the end.
bool OnlySpaceIsLeft(JsonBytes& bytes) {
  bool only = true;
  for (; !bytes.AtEnd(); bytes.Go())
    only = only && std::string_view(" \t\r\n").contains(bytes.Here());
  return only;
}

}  // namespace

JsonEnd WalkJson(ByteSource& source, JsonVisitor& visitor) {
  JsonBytes bytes(source);
  Walk walk(visitor);
  if (nlohmann::json::sax_parse(JsonByteIterator{&bytes}, JsonByteIterator{}, &walk,
                                nlohmann::json::input_format_t::json, /*strict=*/false))
    return OnlySpaceIsLeft(bytes) ? JsonEnd::kWhole : JsonEnd::kFollowed;
  return bytes.AtEnd() ? JsonEnd::kCutShort : JsonEnd::kDamaged;
}

}  // namespace stepscope
