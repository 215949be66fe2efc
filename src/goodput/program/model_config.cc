// Reads the shape of a model from Hugging Face's config.json, whose keys differ by model.
#include "goodput/program/model_config.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_source.h"

namespace stepscope {
namespace {

using Json = nlohmann::json;

constexpr size_t kLargest = size_t{16} << 20;  // bytes; a config has some thousands

// The first of these keys that holds a number above 0; else 0.
double NumberAt(const Json& config, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto at = config.find(key);
    if (at == config.end() || !at->is_number()) continue;
    const auto number = at->get<double>();
    if (std::isfinite(number) && number > 0) return number;
  }
  return 0;
}

std::string TextAt(const Json& config, const char* key) {
  const auto at = config.find(key);
  return at != config.end() && at->is_string() ? at->get<std::string>() : "";
}

bool FlagAt(const Json& config, const char* key) {
  const auto at = config.find(key);
  return at != config.end() && at->is_boolean() && at->get<bool>();
}

// Older models have an MLP of two matrices.
bool HasPlainMlp(const Json& config) {
  const std::string type = TextAt(config, "model_type");
  for (const std::string_view plain : {"gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "bloom",
                                       "falcon", "bert", "roberta", "phi"}) {
    if (type == plain) return true;
  }
  return false;
}

constexpr std::string_view kWindowed = "sliding_attention", kFull = "full_attention";

// The type of a layer that is neither; empty: none is.
std::string UnknownLayerType(const Json& config) {
  const auto types = config.find("layer_types");
  if (types == config.end() || !types->is_array()) return "";
  for (const Json& type : *types) {
    // Values may be nested so deeply that writing one out takes more stack than there is.
    const std::string name = type.is_string()      ? type.get<std::string>()
                             : type.is_primitive() ? type.dump()
                                                   : type.type_name();
    if (name != kWindowed && name != kFull) return name;
  }
  return "";
}

// Every n-th layer is full, the others have the window; 0: the config has no such rule.
double FullLayerEvery(const Json& config) {
  const double every = NumberAt(config, {"sliding_window_pattern"});
  if (every >= 1) return every;
  // What these models do where their config does not say.
  const std::string type = TextAt(config, "model_type");
  return type == "gemma2" ? 2 : type == "gemma3_text" ? 6 : type == "cohere2" ? 4 : 0;
}

// How many layers have the window. Absent: as many as there are.
std::optional<double> WindowLayers(const Json& config, double layers) {
  if (const auto types = config.find("layer_types"); types != config.end() && types->is_array()) {
    const auto windowed =
        std::ranges::count_if(*types, [](const Json& type) { return type == kWindowed; });
    return std::min(static_cast<double>(windowed), layers);
  }
  // Qwen: the first `max_window_layers` are full.
  const bool qwen =
      TextAt(config, "model_type").starts_with("qwen") && FlagAt(config, "use_sliding_window");
  if (qwen) return std::max(0.0, layers - NumberAt(config, {"max_window_layers"}));
  const double every = FullLayerEvery(config);
  if (every > 0) return layers - std::floor(layers / every);
  return std::nullopt;
}

// Keys that the configs of these models leave out, as transformers fills them in.
void AddDefaults(Json& config) {
  if (TextAt(config, "model_type") != "gemma3_text") return;
  const Json defaults = {{"vocab_size", 262'208},      {"num_attention_heads", 8},
                         {"num_key_value_heads", 4},   {"head_dim", 256},
                         {"sliding_window", 4096},     {"max_position_embeddings", 131'072},
                         {"tie_word_embeddings", true}};
  for (const auto& [key, value] : defaults.items()) {
    if (!config.contains(key)) config[key] = value;
  }
}

// DeepSeek's first layers are dense, and others have experts in every n-th.
double ExpertLayers(const Json& config, double layers) {
  const double dense = NumberAt(config, {"first_k_dense_replace"});
  const double every = NumberAt(config, {"decoder_sparse_step", "moe_layer_freq"});
  const double rest = std::max(layers - dense, 0.0);
  return every > 1 ? std::floor(rest / every) : rest;
}

ModelShape ShapeOf(const Json& config) {
  ModelShape shape{
      .layers = NumberAt(config, {"num_hidden_layers", "n_layer", "num_layers", "n_layers"}),
      .width = NumberAt(config, {"hidden_size", "n_embd", "d_model"}),
      .heads = NumberAt(config, {"num_attention_heads", "n_head", "n_heads", "num_heads"}),
      .kv_heads = NumberAt(config, {"num_key_value_heads", "num_kv_heads"}),
      .head_size = NumberAt(config, {"head_dim"}),
      .kv_rank = NumberAt(config, {"kv_lora_rank"}),
      .query_rank = NumberAt(config, {"q_lora_rank"}),
      .mlp_width = NumberAt(config, {"intermediate_size", "n_inner", "ffn_dim", "d_ff"}),
      .gated_mlp = !HasPlainMlp(config),
      .vocabulary = NumberAt(config, {"vocab_size"}),
      .tied_embedding = FlagAt(config, "tie_word_embeddings"),
      .sequence = NumberAt(config, {"max_position_embeddings", "n_positions", "n_ctx"}),
      .causal = !TextAt(config, "model_type").ends_with("bert"),
      .experts = NumberAt(config, {"num_local_experts", "num_experts", "n_routed_experts"}),
      .experts_per_token = NumberAt(config, {"num_experts_per_tok", "moe_topk"}),
      .shared_experts = NumberAt(config, {"n_shared_experts"}),
      .expert_width = NumberAt(config, {"moe_intermediate_size"})};
  const auto use = config.find("use_sliding_window");
  if (use == config.end() || !use->is_boolean() || use->get<bool>()) {
    shape.window = NumberAt(config, {"sliding_window"});
  }
  const auto windowed = WindowLayers(config, shape.layers);
  if (shape.window > 0 && windowed) {
    shape.window_layers = *windowed;
    if (*windowed == 0) shape.window = 0;
  }
  if (shape.kv_rank > 0) {
    shape.head_size = NumberAt(config, {"qk_nope_head_dim"});
    shape.rope_size = NumberAt(config, {"qk_rope_head_dim"});
    shape.value_size = NumberAt(config, {"v_head_dim"});
  }
  if (shape.mlp_width == 0) shape.mlp_width = 4 * shape.width;
  if (shape.experts > 0) shape.expert_layers = ExpertLayers(config, shape.layers);
  return shape;
}

}  // namespace

Result<ModelShape> ReadModelConfig(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) return std::unexpected(source.error());
  return ModelShapeOf(ReadUpTo(*source, kLargest), path);
}

Result<ModelShape> ModelShapeOf(std::string_view text, const std::string& path) {
  Json config = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (config.is_object() && config.contains("text_config")) {  // a model of several media
    config = Json(std::move(config["text_config"]));  // a copy, too, takes stack by its depth
  }
  if (!config.is_object()) {
    return std::unexpected(Error{"cannot read the model config: not a JSON object", path,
                                 "give the config.json that comes with the model"});
  }
  if (const std::string type = UnknownLayerType(config); !type.empty()) {
    return std::unexpected(Error{
        "cannot read the model config: unknown layer type '" + type + "'", path,
        "FLOPs are known of full_attention and sliding_attention; set `parameters` or the shape"});
  }
  AddDefaults(config);
  const ModelShape shape = ShapeOf(config);
  const bool latent_whole = shape.kv_rank == 0 || (shape.head_size > 0 && shape.value_size > 0);
  if (!latent_whole) {
    return std::unexpected(
        Error{"cannot read the model config: head sizes of latent attention are missing", path,
              "qk_nope_head_dim, qk_rope_head_dim and v_head_dim"});
  }
  if (shape.layers > 0 && shape.width > 0 && shape.heads > 0) return shape;
  return std::unexpected(Error{"cannot read the model config: layers, heads or width is missing",
                               path, "set `layers`, `width`, `heads` and `mlp_width`"});
}

}  // namespace stepscope
