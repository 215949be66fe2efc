// Defines the training step of the synthetic job in the language of script.h: a decoder-only
// transformer of width 2048 on 8 sequences of 1024 tokens, in bfloat16, with
// DistributedDataParallel and AdamW.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "demo/script.h"
#include "demo/stage_step.h"

namespace stepscope::demo {
namespace {

constexpr std::string_view kParts = R"(
def getattr
 py torch/nn/modules/module.py(1928): __getattr__

def method
 py <built-in method $1 of Tensor object at 0x%>

def linear
 mod Linear
  py torch/nn/modules/linear.py(124): forward
   use getattr
   use getattr
   use getattr
   py <built-in function linear>
    op aten::linear | bf16[8,1024,$2] bf16[$3,$2] -
     op aten::t | bf16[$3,$2]
      op aten::transpose | bf16[$3,$2] 0 1
     op aten::matmul | bf16[8,1024,$2] bf16[$2,$3]
      op aten::view | bf16[8,1024,$2] [8192,$2]
      fwd aten::mm | bf16[8192,$2] bf16[$2,$3]
       alloc 33554432
       rt cudaStreamIsCapturing
       rt cudaStreamGetCaptureInfo_v2
       rt cudaFuncGetAttributes
       launch $1

def norm
 mod LayerNorm
  py torch/nn/modules/normalization.py(217): forward
   use getattr
   use getattr
   use getattr
   py torch/nn/functional.py(2900): layer_norm
    py <built-in function _has_torch_function_variadic>
    py <built-in function layer_norm>
     op aten::layer_norm | bf16[8,1024,2048] [2048] bf16[2048] bf16[2048] 1e-05 True
      fwd aten::native_layer_norm | bf16[8,1024,2048] [2048] bf16[2048] bf16[2048] 1e-05
       rt cudaStreamIsCapturing
       launch norm

def residual
 fwd aten::add | bf16[8,1024,2048] bf16[8,1024,2048] 1
  rt cudaStreamIsCapturing
  launch add

def heads
 use method view
 op aten::view | bf16[8,1024,2048] [8,1024,16,128]
 use method transpose
 op aten::transpose | bf16[8,1024,16,128] 1 2

def attention
 mod Attention
  py model.py(52): forward
   use method size
   use getattr
   use linear qkv 2048 6144
   py torch/_tensor.py(1028): split
    use method split
     op aten::split | bf16[8,1024,6144] 2048 2
   use heads
   use heads
   use heads
   py <built-in function scaled_dot_product_attention>
    op aten::scaled_dot_product_attention | bf16[8,16,1024,128] bf16[8,16,1024,128] bf16[8,16,1024,128] - 0. True
     fwd aten::_scaled_dot_product_flash_attention | bf16[8,16,1024,128] bf16[8,16,1024,128] bf16[8,16,1024,128] 0. True
      alloc 33554432
      rt cudaFuncSetAttribute
      launch flash
   use method transpose
    op aten::transpose | bf16[8,16,1024,128] 1 2
   use method contiguous
   use method view
    op aten::view | bf16[8,1024,16,128] [8,1024,2048]
   use getattr
   use linear proj 2048 2048

def mlp
 mod MLP
  py model.py(82): forward
   use getattr
   use linear fc1 2048 8192
   use getattr
   mod GELU
    py torch/nn/modules/activation.py(734): forward
     py <built-in function gelu>
      fwd aten::gelu | bf16[8,1024,8192] none
       alloc 134217728
       rt cudaStreamIsCapturing
       launch gelu
   use getattr
   use linear fc2 8192 2048

def embedding
 mod Embedding
  py torch/nn/modules/sparse.py(190): forward
   use getattr
   py torch/nn/functional.py(2438): embedding
    py <built-in method embedding of type object at 0x%>
     fwd aten::embedding | bf16[$1,2048] long[8,1024] -1 False False
      op aten::index_select | bf16[$1,2048] 0 long[8192]
       alloc 33554432
       launch embedding

def accumulate
 op autograd::engine::evaluate_function: torch::autograd::AccumulateGrad
  op torch::autograd::AccumulateGrad | bf16[$1]

def linear_backward
 bwd MmBackward0
  op aten::t | bf16[8192,$2]
   op aten::transpose | bf16[8192,$2] 0 1
  op aten::mm | bf16[$2,8192] bf16[8192,$3]
   rt cudaStreamIsCapturing
   rt cudaStreamGetCaptureInfo_v2
   rt cudaFuncGetAttributes
   launch $1_weight
  op aten::mm | bf16[8192,$3] bf16[$3,$2]
   alloc 33554432
   rt cudaStreamIsCapturing
   rt cudaStreamGetCaptureInfo_v2
   rt cudaFuncGetAttributes
   launch $1_input
  free 2
 use accumulate $3,$2

def norm_backward
 bwd NativeLayerNormBackward0
  op aten::native_layer_norm_backward | bf16[8,1024,2048] bf16[8,1024,2048] [2048] f32[8,1024,1] f32[8,1024,1] bf16[2048]
   rt cudaStreamIsCapturing
   launch norm_input
   launch norm_weight
 use accumulate 2048

def batch
 note Optimizer.zero_grad#AdamW.zero_grad
  py torch/optim/optimizer.py(972): zero_grad
   op aten::zero_ | bf16[2097152]
    launch memset
 py torch/utils/data/dataloader.py(716): __next__
  note enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__
   py torch/utils/data/dataloader.py(1458): _next_data
    py torch/utils/data/dataloader.py(1410): _get_data
     py multiprocessing/queues.py(113): get
      py <built-in method acquire of _thread.lock object at 0x%>
       fetch
 use method to
  op aten::to | long[8,1024] 4 0 - - False True False -
   op aten::_to_copy | long[8,1024] 4 0 - - False True -
    op aten::copy_ | long[8,1024] long[8,1024] True
     alloc 65536
     launch memcpy_in

def attention_backward
 bwd ScaledDotProductFlashAttentionBackward0
  op aten::_scaled_dot_product_flash_attention_backward | bf16[8,16,1024,128] bf16[8,16,1024,128] bf16[8,16,1024,128]
   alloc 33554432
   launch flash_dot
   launch flash_backward
   launch flash_convert
  free 2

def finish
 use method item
  op aten::item | f32[]
   op aten::_local_scalar_dense | f32[]
    launch memcpy_out
    synchronize
 py torch/optim/optimizer.py(485): wrapper
  note Optimizer.step#AdamW.step
   py torch/optim/adamw.py(220): step
    py torch/optim/adamw.py(880): _fused_adamw
     py <built-in method _fused_adamw_ of type object at 0x%>
      op aten::_fused_adamw_
       layers
        launch adam
 rt cudaEventQuery

def gelu_backward
 bwd GeluBackward0
  op aten::gelu_backward | bf16[8,1024,8192] bf16[8,1024,8192] none
   alloc 134217728
   rt cudaStreamIsCapturing
   launch gelu_backward
  free 2

def residual_backward
 bwd AddBackward0
 op aten::add_ | bf16[8,1024,2048] bf16[8,1024,2048] 1
  rt cudaStreamIsCapturing
  launch add
)";

constexpr std::string_view kOpening = R"(
part opening
 use batch
 mod DistributedDataParallel
  py torch/nn/parallel/distributed.py(1639): forward
   note DistributedDataParallel.forward
    mod GPT
     py model.py(171): forward
      use embedding 50304
      use embedding 1024
      use residual
      layers
       mod Block
        py model.py(104): forward
         use getattr
         use norm
         use getattr
         use attention
         use residual
         use getattr
         use norm
         use getattr
         use mlp
         use residual
      use norm
      use linear head 2048 50304
 py torch/nn/functional.py(3388): cross_entropy
  py <built-in function cross_entropy_loss>
   op aten::cross_entropy_loss | bf16[8192,50304] long[8192] - 1 -1 0.
    fwd aten::_log_softmax | bf16[8192,50304] 1 False
     alloc 1648361472
     launch softmax
    fwd aten::nll_loss_forward | f32[8192,50304] long[8192] - 1 -1
     alloc 512
     launch loss
 py torch/_tensor.py(570): backward
  py torch/autograd/__init__.py(242): backward
   py torch/autograd/graph.py(815): _engine_run_backward
    py <built-in method run_backward of torch._C._EngineBase object at 0x%>
     engine

part backward
 bwd NllLossBackward0
  op aten::nll_loss_backward | f32[] f32[8192,50304] long[8192] - 1 -1 f32[]
   alloc 1648361472
   launch loss_backward
 bwd LogSoftmaxBackward0
  op aten::_log_softmax_backward_data | f32[8192,50304] f32[8192,50304] 1 15
   alloc 824180736
   launch softmax_backward
  free 3
 use linear_backward head 2048 50304
 use norm_backward
 layers
  use residual_backward
  use linear_backward fc2 8192 2048
  use gelu_backward
  use linear_backward fc1 2048 8192
  use norm_backward
  use residual_backward
  use linear_backward proj 2048 2048
  use attention_backward
  use linear_backward qkv 2048 6144
  use norm_backward
 bwd AddBackward0
 bwd EmbeddingBackward0
  op aten::embedding_dense_backward | bf16[8,1024,2048] long[8,1024] 1024 -1 False
   launch embedding_backward
 bwd EmbeddingBackward0
  op aten::embedding_dense_backward | bf16[8,1024,2048] long[8,1024] 50304 -1 False
   launch embedding_backward

part all_reduce
 op c10d::allreduce_
  op record_param_comms
   note nccl:all_reduce
    rt cudaEventRecord
    comm_waits
    launch all_reduce
    rt cudaEventRecord

part unknown_all_reduce
 op acme::fabric_push
  rt cudaEventRecord
  comm_waits
  launch all_reduce
  rt cudaEventRecord

part closing
 compute_waits
 py torch/nn/utils/clip_grad.py(34): clip_grad_norm_
  py <built-in method _foreach_norm of type object at 0x%>
   op aten::_foreach_norm
    alloc 512
    launch gradient_norm
 use finish
)";

Script Read() {
  ParsedScript parsed = ParseScript(fmt::format("{}{}{}", kParts, kOpening, kStageParts));
  const auto part = [&](std::string_view name) {
    const auto at = std::ranges::find(parsed.root.children, name, &Node::name);
    return at == parsed.root.children.end() ? Node{} : std::move(*at);
  };
  return {.opening = part("opening"),
          .backward = part("backward"),
          .all_reduce = part("all_reduce"),
          .unknown_all_reduce = part("unknown_all_reduce"),
          .closing = part("closing"),
          .stage_opening = part("stage_opening"),
          .stage_forward = part("stage_forward"),
          .stage_backward = part("stage_backward"),
          .stage_norm = part("stage_norm"),
          .stage_closing = part("stage_closing"),
          .all_to_all = part("all_to_all"),
          .send = part("send"),
          .receive = part("receive"),
          .modules = parsed.modules,
          .bad_lines = parsed.bad_lines};
}

}  // namespace

const Script& TrainingStep() {
  static const Script kScript = Read();
  return kScript;
}

}  // namespace stepscope::demo
