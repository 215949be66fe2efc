// Parses the script language: lines to trees.
#include "demo/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

namespace stepscope::demo {
namespace {

struct Line {
  size_t depth = 0;
  std::string word;
  std::string rest;
};

std::string_view TrimSpaces(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos
             ? ""
             : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(text, ' ')) {
    const std::string_view word(part.begin(), part.end());
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::vector<Line> ReadLines(std::string_view text) {
  std::vector<Line> lines;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    const std::string_view body = TrimSpaces(line);
    if (body.empty()) continue;
    const size_t end = std::min(body.find(' '), body.size());
    lines.push_back({.depth = line.find_first_not_of(' '),
                     .word = std::string(body.substr(0, end)),
                     .rest = std::string(TrimSpaces(body.substr(end)))});
  }
  return lines;
}

// The lines from `at + 1` on that are indented deeper than line `at`.
std::span<const Line> Inside(std::span<const Line> lines, size_t at) {
  size_t end = at + 1;
  while (end < lines.size() && lines[end].depth > lines[at].depth) ++end;
  return lines.subspan(at + 1, end - at - 1);
}

std::string Substitute(std::string text, std::span<const std::string> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string place = fmt::format("${}", i + 1);
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.replace(at, place.size(), values[i]);
    }
  }
  return text;
}

// Puts the bodies of `def` where `use` asks for them. A `def` stands before its uses.
class Expander {
 public:
  std::vector<Line> Expand(std::span<const Line> lines) {
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].word != "def") {
        Add(lines[i]);
        continue;
      }
      const auto body = Inside(lines, i);
      definitions_[lines[i].rest].assign(body.begin(), body.end());
      i += body.size();
    }
    return std::move(lines_);
  }

 private:
  void Add(const Line& line) {
    if (line.word != "use") {
      lines_.push_back(line);
      return;
    }
    const std::vector<std::string> words = SplitWords(line.rest);
    const auto definition = definitions_.find(words.empty() ? "" : words[0]);
    if (definition == definitions_.end()) {
      lines_.push_back(line);
      return;
    }
    for (const Line& inner : definition->second) {
      Add({.depth = line.depth + inner.depth - 1,
           .word = inner.word,
           .rest = Substitute(inner.rest, std::span(words).subspan(1))});
    }
  }

  std::map<std::string, std::vector<Line>, std::less<>> definitions_;
  std::vector<Line> lines_;
};

// "bf16[8,1024]" -> type and dimensions; "-" -> an absent input; anything else is a scalar.
struct Input {
  std::string_view type;
  std::string dims = "[]";
};

Input ReadInput(const std::string& word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {
      {{"bf16", "c10::BFloat16"}, {"f32", "float"}, {"long", "long int"}, {"list", "TensorList"}}};
  if (word == "-") return {};
  const size_t bracket = word.find('[');
  if (bracket == std::string::npos) return {"Scalar"};
  const std::string_view prefix = std::string_view(word).substr(0, bracket);
  const auto type =
      std::ranges::find(kTypes, prefix, &std::pair<std::string_view, std::string_view>::first);
  if (type == kTypes.end()) return {"ScalarList"};
  std::string dims = word.substr(bracket);
  for (size_t at = dims.find(','); at != std::string::npos; at = dims.find(',', at + 2)) {
    dims.replace(at, 1, ", ");
  }
  return {type->second, dims};
}

// The inputs of an operator as the profiler writes them with `record_shapes`.
std::string InputsJson(std::string_view text) {
  std::string types, dims;
  for (const std::string& word : SplitWords(text)) {
    const Input input = ReadInput(word);
    const std::string_view comma = types.empty() ? "" : ", ";
    types += fmt::format("{}\"{}\"", comma, input.type);
    dims += fmt::format("{}{}", comma, input.dims);
  }
  if (types.empty()) return {};
  return fmt::format(R"("Input type": [{}], "Input Dims": [{}], )", types, dims);
}

class Builder {
 public:
  // The trees of `lines`, all of which are deeper than their parent.
  std::vector<Node> Build(std::span<const Line> lines) {
    std::vector<Node> nodes;
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto inside = Inside(lines, i);
      if (std::optional<Node> node = NodeOf(lines[i])) {
        std::ranges::move(Build(inside), std::back_inserter(Innermost(*node).children));
        nodes.push_back(*std::move(node));
      } else {
        bad_lines_ += 1 + inside.size();
      }
      i += inside.size();
    }
    return nodes;
  }

  size_t modules() const { return modules_.size(); }
  size_t bad_lines() const { return bad_lines_; }

 private:
  // Some words stand for more than one call; what is under them happens in the innermost.
  static Node& Innermost(Node& node) {
    if (node.act == Act::kModule) return node.children[0];
    if (node.link == Link::kEvaluate) return node.children[0];
    return node;
  }

  std::optional<Node> NodeOf(const Line& line) {
    if (line.word == "op" || line.word == "fwd") return Operator(line);
    if (line.word == "bwd") return Backward(line.rest);
    if (line.word == "py") return Python(line.rest);
    if (line.word == "mod") return Module(line.rest);
    return Simple(line);
  }

  static Node Operator(const Line& line) {
    const size_t bar = line.rest.find(" | ");
    const std::string_view rest = line.rest;
    return {.act = Act::kOperator,
            .link = line.word == "fwd" ? Link::kForward : Link::kNone,
            .name = std::string(rest.substr(0, bar)),
            .inputs = bar == std::string::npos ? "" : InputsJson(rest.substr(bar + 3))};
  }

  static Node Backward(const std::string& name) {
    Node evaluate{.act = Act::kOperator,
                  .link = Link::kEvaluate,
                  .name = "autograd::engine::evaluate_function: " + name};
    evaluate.children.push_back({.act = Act::kOperator, .link = Link::kBackward, .name = name});
    return evaluate;
  }

  static Node Python(const std::string& name) {
    return {.act = Act::kPython, .name = name, .addressed = name.contains('%')};
  }

  Node Module(const std::string& name) {
    const auto at = std::ranges::find(modules_, name);
    const auto number = static_cast<size_t>(at - modules_.begin());
    if (at == modules_.end()) modules_.push_back(name);
    Node module{.act = Act::kModule, .name = "nn.Module: " + name + "_", .module = number};
    Node call = Python("torch/nn/modules/module.py(1755): _call_impl");
    call.children.push_back(
        Python("<built-in method _get_tracing_state of PyCapsule object at 0x%>"));
    module.children.push_back(std::move(call));
    return module;
  }

  static std::optional<Node> Simple(const Line& line) {
    constexpr std::array<std::pair<std::string_view, Act>, 16> kWords = {
        {{"part", Act::kGroup},
         {"note", Act::kAnnotation},
         {"rt", Act::kCall},
         {"launch", Act::kLaunch},
         {"alloc", Act::kAllocate},
         {"free", Act::kFree},
         {"layers", Act::kLayers},
         {"engine", Act::kBackward},
         {"fetch", Act::kFetch},
         {"synchronize", Act::kSynchronize},
         {"comm_waits", Act::kCommWaits},
         {"compute_waits", Act::kComputeWaits},
         {"first_stage", Act::kFirstStage},
         {"last_stage", Act::kLastStage},
         {"reduce_tensor", Act::kReduceTensor},
         {"exchange_experts", Act::kExchangeExperts}}};
    const auto word =
        std::ranges::find(kWords, line.word, &std::pair<std::string_view, Act>::first);
    if (word == kWords.end()) return std::nullopt;
    Node node{.act = word->second, .name = line.rest};
    node.kernel = FindKernel(line.rest);
    node.call = FindCall(line.rest);
    std::from_chars(line.rest.data(), line.rest.data() + line.rest.size(), node.amount);
    const bool bad = (node.act == Act::kLaunch && node.kernel == nullptr) ||
                     (node.act == Act::kCall && node.call == nullptr);
    return bad ? std::nullopt : std::optional(std::move(node));
  }

  std::vector<std::string> modules_;
  size_t bad_lines_ = 0;
};

}  // namespace

ParsedScript ParseScript(std::string_view text) {
  const std::vector<Line> lines = Expander().Expand(ReadLines(text));
  Builder builder;
  ParsedScript parsed;
  parsed.root.children = builder.Build(lines);
  parsed.modules = builder.modules();
  parsed.bad_lines = builder.bad_lines();
  return parsed;
}

int64_t NominalCompute(const Node& node, int64_t layers) {
  int64_t sum = 0;
  if (node.act == Act::kFirstStage || node.act == Act::kLastStage) return 0;
  if (node.act == Act::kLaunch && node.kernel->kind == ActivityKind::kCompute)
    sum = node.kernel->nominal;
  for (const Node& child : node.children) sum += NominalCompute(child, layers);
  return node.act == Act::kLayers ? sum * layers : sum;
}

}  // namespace stepscope::demo
