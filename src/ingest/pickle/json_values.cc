// Fills a tree from nlohmann's events, which come without recursion.
#include "ingest/pickle/json_values.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/json_bytes.h"

namespace stepscope {
namespace {

using Kind = Value::Kind;

class Filler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Filler(ValueTree& tree, const TreeLimits& limits) : tree_(tree), limits_(limits) {}

  bool null() override { return Add({}); }
  bool boolean(bool value) override { return Add({Kind::kBool, value}); }
  bool number_integer(int64_t value) override { return Add({Kind::kInt, value}); }
  bool number_unsigned(uint64_t value) override {
    return value <= INT64_MAX ? Add({Kind::kInt, static_cast<int64_t>(value)})
                              : Add(Value::Real(static_cast<double>(value)));
  }
  bool number_float(double value, const std::string&) override { return Add(Value::Real(value)); }
  bool string(std::string& text) override { return Count(text) && Add(tree_.Text(text)); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& text) override { return Count(text) && Add(tree_.Text(text)); }
  bool start_object(size_t) override { return Open(tree_.NewDict()); }
  bool start_array(size_t) override { return Open(tree_.NewList()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) override {
    error_ = {"the file is not JSON, or is cut short", fmt::format("byte {}", at), ""};
    return false;
  }
  Error error() const { return error_; }

 private:
  bool Fail(const char* what) {
    error_.what = what;
    return false;
  }
  bool Count(const std::string& text) {
    text_bytes_ += text.size();
    return text_bytes_ <= limits_.text_bytes || Fail("its texts are longer than is read");
  }
  bool Add(Value value) {
    if (++values_ > limits_.values) return Fail("it has more values than are read");
    if (open_.empty()) {
      tree_.root = value;
    } else {
      tree_.ItemsOf(open_.back()).push_back(value);
    }
    return true;
  }
  bool Open(Value container) {
    if (open_.size() >= limits_.depth) return Fail("it is nested too deep");
    if (!Add(container)) return false;
    open_.push_back(container);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  ValueTree& tree_;
  TreeLimits limits_;
  std::vector<Value> open_;
  size_t values_ = 0, text_bytes_ = 0;
  Error error_{"the file is not JSON", "", ""};
};

}  // namespace

Result<ValueTree> ReadJson(ByteSource source, const TreeLimits& limits) {
  JsonBytes bytes(source);
  ValueTree tree;
  Filler filler(tree, limits);
  if (nlohmann::json::sax_parse(JsonByteIterator{&bytes}, JsonByteIterator{}, &filler)) return tree;
  return std::unexpected(filler.error());
}

}  // namespace stepscope
