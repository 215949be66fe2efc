// Takes nodes out of the JSON of an execution trace, whose members came to be named and nested
// otherwise with schema 1.0.2.
#include "ingest/execution_trace/execution_reader.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/byte_order_mark.h"
#include "base/json_bytes.h"
#include "ingest/common/reader_limits.h"
#include "ingest/execution_trace/input_lists_of.h"

namespace stepscope {
namespace {

constexpr size_t kDeepest = 64;
constexpr size_t kMostInputs = 256;        // of a node, as trace/input_lists reads them
constexpr size_t kLongestInput = 1 << 12;  // bytes

// The list of a node's inputs that is at a path; null: none.
std::vector<std::string>* ListAt(std::string_view path, NodeInputs& inputs) {
  constexpr std::string_view kNode = "nodes/";
  if (!path.starts_with(kNode)) return nullptr;
  path.remove_prefix(kNode.size());
  if (path == "inputs" || path == "inputs/values") return &inputs.values;
  if (path == "input_shapes" || path == "inputs/shapes") return &inputs.shapes;
  if (path == "input_types" || path == "inputs/types") return &inputs.types;
  if (path == "input_strides" || path == "inputs/strides") return &inputs.strides;
  return nullptr;
}

// The same of what it gave, of which only the storages are read.
std::vector<std::string>* OutputsAt(std::string_view path, NodeInputs& outputs) {
  if (path == "nodes/outputs" || path == "nodes/outputs/values") return &outputs.values;
  if (path == "nodes/output_types" || path == "nodes/outputs/types") return &outputs.types;
  return nullptr;
}

// Calls take(storage) for each tensor of "[5, 6, 0, 12, 4, cpu]", or of a list of these: the second
// number.
template <class Take>
void ForEachStorage(std::string_view value, const Take& take) {
  for (size_t at = value.find('['); at != value.npos; at = value.find('[', at + 1)) {
    const size_t comma = value.find_first_of(",[]", at + 1);
    if (comma == value.npos || value[comma] != ',') continue;
    std::string_view rest = value.substr(comma + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    int64_t storage = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), storage);
    if (error == std::errc() && storage > 0) take(storage);
  }
}

class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Reader(Tensors tensors) : tensors_(tensors) {}

  bool null() override { return Scalar("None"); }
  bool boolean(bool value) override { return Scalar(value ? "True" : "False"); }
  bool number_integer(int64_t value) override {
    Number(value);
    return Scalar(std::to_string(value));
  }
  bool number_unsigned(uint64_t value) override {
    if (std::in_range<int64_t>(value)) Number(static_cast<int64_t>(value));
    return Scalar(std::to_string(value));
  }
  bool number_float(double, const std::string& text) override { return Scalar(text); }
  bool string(std::string& text) override {
    if (path_ == "nodes/name") node_.name = trace_.strings.Intern(text);
    if (path_ == "nodes/attrs/name") attribute_ = text;
    return Scalar(text);
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& text) override {
    path_.resize(open_.back());
    if (!path_.empty()) path_ += '/';
    path_ += text;
    return true;
  }
  bool start_object(size_t) override {
    if (open_.size() >= kDeepest) return false;
    open_.push_back(path_.size());
    if (path_ == "nodes" && list_ == nullptr) BeginNode();
    if (path_ == "nodes/attrs") BeginAttribute();
    return true;
  }
  bool end_object() override {
    Close();
    if (path_ == "nodes" && list_ == nullptr) EndNode();
    if (path_ == "nodes/attrs") EndAttribute();
    return true;
  }
  bool start_array(size_t) override {
    if (open_.size() >= kDeepest) return false;
    open_.push_back(path_.size());
    if (list_ != nullptr) {
      if (++nested_ == 1)
        BeginItem();
      else
        Part();
      Put("[");
    } else if ((list_ = Listed()) != nullptr) {
      nested_ = 0;
      list_->clear();  // the last of several counts
    }
    first_ = true;
    return true;
  }
  bool end_array() override {
    Close();
    if (list_ == nullptr) return true;
    if (nested_ == 0) {
      list_ = nullptr;
      return true;
    }
    --nested_;
    Put("]");
    first_ = false;
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

  ExecutionTrace Finish() && {
    auto& nodes = trace_.nodes;
    std::ranges::stable_sort(nodes, {}, &ExecutionNode::record_function);
    const auto same = [](const ExecutionNode& a, const ExecutionNode& b) {
      return a.record_function == b.record_function;
    };
    // Nothing tells which of several is meant.
    std::vector<ExecutionNode> alone;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const bool twice = (i > 0 && same(nodes[i - 1], nodes[i])) ||
                         (i + 1 < nodes.size() && same(nodes[i], nodes[i + 1]));
      if (!twice) alone.push_back(nodes[i]);
    }
    trace_.left_out += std::ssize(nodes) - std::ssize(alone);
    nodes = std::move(alone);
    std::ranges::stable_sort(trace_.tensors, {}, &TensorUse::record_function);
    return std::move(trace_);
  }

 private:
  void Close() {
    path_.resize(open_.back());
    open_.pop_back();
  }

  std::vector<std::string>* Listed() {
    if (auto* list = ListAt(path_, inputs_)) return list;
    return tensors_ == Tensors::kKeep ? OutputsAt(path_, outputs_) : nullptr;
  }

  void BeginNode() {
    node_ = {};
    inputs_ = {};
    outputs_ = {};
    too_long_ = false;
  }
  void BeginAttribute() {
    attribute_.clear();
    number_.reset();
  }
  void EndAttribute() {
    if (!number_) return;
    if (attribute_ == "rf_id") node_.record_function = *number_;
    if (attribute_ == "tid") node_.thread = *number_;
  }

  void EndNode() {
    if (node_.record_function <= 0 || node_.name == kNoString) return;
    if (trace_.nodes.size() >= kMostEvents) {
      ++trace_.left_out;
      return;
    }
    if (!too_long_) {
      const InputLists lists = InputListsOf(inputs_);
      const auto intern = [&](const std::string& text) {
        return text.empty() ? kNoString : trace_.strings.Intern(text);
      };
      node_.shapes = intern(lists.shapes);
      node_.types = intern(lists.types);
      node_.strides = intern(lists.strides);
      node_.values = intern(lists.values);
    }
    trace_.nodes.push_back(node_);
    if (tensors_ == Tensors::kLeaveOut) return;
    AddTensors(inputs_, /*given=*/false);
    AddTensors(outputs_, /*given=*/true);
  }

  void AddTensors(const NodeInputs& lists, bool given) {
    for (size_t i = 0; i < std::min(lists.values.size(), lists.types.size()); ++i) {
      if (!lists.types[i].contains("Tensor(")) continue;
      ForEachStorage(lists.values[i], [&](int64_t storage) {
        trace_.tensors.push_back({node_.record_function, storage, given});
      });
    }
  }

  void Number(int64_t value) {
    if (path_ == "pid") trace_.process = value;
    if (path_ == "nodes/rf_id") node_.record_function = value;
    if (path_ == "nodes/tid") node_.thread = value;
    if (path_ == "nodes/attrs/value") number_ = value;
  }

  // Of a list: a value of its own, or one within.
  bool Scalar(std::string_view text) {
    if (list_ == nullptr) return true;
    if (nested_ == 0)
      BeginItem();
    else
      Part();
    Put(text);
    first_ = false;
    return true;
  }
  void BeginItem() {
    if (list_->size() < kMostInputs)
      list_->emplace_back();
    else
      too_long_ = true;
  }
  void Part() {
    if (!std::exchange(first_, false)) Put(", ");
  }
  void Put(std::string_view text) {
    if (list_->empty() || list_->back().size() + text.size() > kLongestInput) {
      too_long_ = true;
      return;
    }
    list_->back() += text;
  }

  ExecutionTrace trace_;
  std::string path_;
  std::vector<size_t> open_;  // lengths of the paths of what is open
  ExecutionNode node_;
  Tensors tensors_;
  NodeInputs inputs_, outputs_;
  bool too_long_ = false;
  std::vector<std::string>* list_ = nullptr;  // the one that is read
  size_t nested_ = 0;                         // arrays in it that are open
  bool first_ = false;                        // nothing has been put into the innermost yet
  std::string attribute_;
  std::optional<int64_t> number_;
};

}  // namespace

bool LooksLikeExecutionTrace(std::string_view beginning) {
  std::string plain;
  for (const char c : WithoutByteOrderMark(beginning)) {
    if (!std::string_view(" \t\r\n").contains(c)) plain += c;
  }
  constexpr std::string_view kBegin = "{\"schema\":\"";
  return plain.starts_with(kBegin) && plain.size() > kBegin.size() && IsDigit(plain[kBegin.size()]);
}

Result<ExecutionTrace> ReadExecutionTrace(ByteSource source, Tensors tensors) {
  JsonBytes bytes(source);
  Reader reader(tensors);
  const bool whole =
      nlohmann::json::sax_parse(JsonByteIterator{&bytes}, JsonByteIterator{}, &reader,
                                nlohmann::json::input_format_t::json, /*strict=*/false);
  ExecutionTrace trace = std::move(reader).Finish();
  trace.ends_early = !whole;
  if (trace.nodes.empty())
    return std::unexpected(Error{"the execution trace holds no operators", "",
                                 "record it with ExecutionTraceObserver around a step"});
  return trace;
}

Error ExecutionTraceAlone() {
  return {
      "the file is an execution trace of PyTorch, which has no times", "",
      "put it into the directory of the profiler's trace of the same process: its operators get "
      "shapes from it"};
}

}  // namespace stepscope
