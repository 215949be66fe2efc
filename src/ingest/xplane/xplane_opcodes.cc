// Lists opcodes. Names are those of XLA's hlo_opcode.h.
#include "ingest/xplane/xplane_opcodes.h"

#include <unordered_map>

namespace stepscope {
namespace {

using enum CostRule;

const std::unordered_map<std::string_view, CostRule>& CostRules() {
  static const std::unordered_map<std::string_view, CostRule> rules = {
      {"abs", kElements},
      {"add", kElements},
      {"and", kElements},
      {"bitcast-convert", kElements},
      {"ceil", kElements},
      {"clamp", kElements},
      {"compare", kElements},
      {"complex", kElements},
      {"convert", kElements},
      {"count-leading-zeros", kElements},
      {"divide", kElements},
      {"floor", kElements},
      {"imag", kElements},
      {"is-finite", kElements},
      {"maximum", kElements},
      {"minimum", kElements},
      {"multiply", kElements},
      {"negate", kElements},
      {"not", kElements},
      {"or", kElements},
      {"popcnt", kElements},
      {"real", kElements},
      {"reduce-precision", kElements},
      {"remainder", kElements},
      {"round-nearest-afz", kElements},
      {"round-nearest-even", kElements},
      {"select", kElements},
      {"shift-left", kElements},
      {"shift-right-arithmetic", kElements},
      {"shift-right-logical", kElements},
      {"sign", kElements},
      {"stochastic-convert", kElements},
      {"subtract", kElements},
      {"xor", kElements},
      {"acos", kTranscendental},
      {"acosh", kTranscendental},
      {"asin", kTranscendental},
      {"asinh", kTranscendental},
      {"atan2", kTranscendental},
      {"atanh", kTranscendental},
      {"cbrt", kTranscendental},
      {"cosh", kTranscendental},
      {"cosine", kTranscendental},
      {"erf", kTranscendental},
      {"exponential", kTranscendental},
      {"exponential-minus-one", kTranscendental},
      {"log", kTranscendental},
      {"log-plus-one", kTranscendental},
      {"logistic", kTranscendental},
      {"power", kTranscendental},
      {"rng", kTranscendental},
      {"rng-bit-generator", kTranscendental},
      {"rsqrt", kTranscendental},
      {"sine", kTranscendental},
      {"sinh", kTranscendental},
      {"sqrt", kTranscendental},
      {"tan", kTranscendental},
      {"tanh", kTranscendental},
      {"dot", kDot},
      {"scaled-dot", kDot},
      {"convolution", kConvolution},
      {"reduce", kReduce},
      {"reduce-window", kReduceWindow},
      {"select-and-scatter", kSelectAndScatter},
      {"scatter", kScatter},
      {"map", kMap},
      {"sort", kSort},
      {"fft", kFourier},
      {"triangular-solve", kTriangularSolve},
      {"cholesky", kCholesky},
      {"all-reduce", kAllReduce},
      {"all-reduce-start", kAllReduce},
      {"reduce-scatter", kAllReduce},
      {"fusion", kFusion},
      {"call", kCall},
      {"async-start", kCall},
      {"while", kWhile},
      {"conditional", kConditional},
      {"custom-call", kCustomCall},
      {"ragged-dot", kUnknown},
      {"topk", kUnknown},
      {"scan", kUnknown},
  };
  return rules;
}

const std::unordered_map<std::string_view, ByteRule>& ByteRules() {
  static const std::unordered_map<std::string_view, ByteRule> rules = {
      {"parameter", ByteRule::kNone},
      {"constant", ByteRule::kNone},
      {"bitcast", ByteRule::kNone},
      {"get-tuple-element", ByteRule::kNone},
      {"tuple", ByteRule::kNone},
      {"after-all", ByteRule::kNone},
      {"add-dependency", ByteRule::kNone},
      {"opt-barrier", ByteRule::kNone},
      {"domain", ByteRule::kNone},
      {"partition-id", ByteRule::kNone},
      {"replica-id", ByteRule::kNone},
      {"async-update", ByteRule::kNone},
      {"async-done", ByteRule::kNone},
      {"copy-done", ByteRule::kNone},
      {"all-reduce-done", ByteRule::kNone},
      {"all-gather-done", ByteRule::kNone},
      {"collective-permute-done", ByteRule::kNone},
      {"slice", ByteRule::kSlice},
      {"dynamic-slice", ByteRule::kGather},
      {"gather", ByteRule::kGather},
      {"dynamic-update-slice", ByteRule::kUpdate},
      {"scatter", ByteRule::kScatter},
      {"call", ByteRule::kCallee},
      {"while", ByteRule::kCallee},
      {"conditional", ByteRule::kCallee},
      {"async-start", ByteRule::kCallee},
  };
  return rules;
}

}  // namespace

CostRule CostRuleOf(std::string_view opcode) {
  const auto at = CostRules().find(opcode);
  return at == CostRules().end() ? kNothing : at->second;
}

ByteRule ByteRuleOf(std::string_view opcode) {
  const auto at = ByteRules().find(opcode);
  return at == ByteRules().end() ? ByteRule::kAll : at->second;
}

}  // namespace stepscope
