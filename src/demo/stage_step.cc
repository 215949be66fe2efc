// Defines what a stage of a pipeline does, as training_step.cc does a whole step.
//
// The layers are those of the whole model: one that has several ranks for each layer is as much
// wider. The vocabulary is split so far that the last stage has hardly more to do than the others.
#include "demo/stage_step.h"

namespace stepscope::demo {

constexpr std::string_view kStageParts = R"(
part stage_opening
 use batch

part stage_forward
 mod Stage
  py model.py(171): forward
   first_stage
    use embedding 50304
   layers
    mod Block
     py model.py(104): forward
      use getattr
      use norm
      use getattr
      use attention
      reduce_tensor
      use residual
      use getattr
      use norm
      use getattr
      exchange_experts
      use mlp
      exchange_experts
      reduce_tensor
      use residual
   last_stage
    use norm
    use linear proj 2048 6288
 last_stage
  py torch/nn/functional.py(3388): cross_entropy
   py <built-in function cross_entropy_loss>
    op aten::cross_entropy_loss | bf16[8192,6288] long[8192] - 1 -1 0.
     fwd aten::nll_loss_forward | f32[8192,6288] long[8192] - 1 -1
      alloc 512
      launch loss

part stage_backward
 last_stage
  bwd NllLossBackward0
   op aten::nll_loss_backward | f32[] f32[8192,6288] long[8192] - 1 -1 f32[]
    launch loss_backward
   free 1
  use linear_backward proj 2048 6288
  use norm_backward
 layers
  use residual_backward
  exchange_experts
  use linear_backward fc2 8192 2048
  use gelu_backward
  use linear_backward fc1 2048 8192
  exchange_experts
  reduce_tensor
  use norm_backward
  use residual_backward
  use linear_backward proj 2048 2048
  use attention_backward
  use linear_backward qkv 2048 6144
  reduce_tensor
  use norm_backward
 first_stage
  bwd EmbeddingBackward0
   op aten::embedding_dense_backward | bf16[8,1024,2048] long[8,1024] 50304 -1 False
    launch embedding_backward

part stage_norm
 py torch/nn/utils/clip_grad.py(34): clip_grad_norm_
  py <built-in method _foreach_norm of type object at 0x%>
   op aten::_foreach_norm
    alloc 512
    launch gradient_norm

part stage_closing
 use finish

part all_to_all
 op c10d::alltoall_base_
  op record_param_comms
   note nccl:all_to_all
    rt cudaEventRecord
    comm_waits
    launch send_receive
    rt cudaEventRecord

part send
 op c10d::send
  op record_param_comms
   note nccl:send
    rt cudaEventRecord
    comm_waits
    launch send_receive
    rt cudaEventRecord

part receive
 op c10d::recv_
  op record_param_comms
   note nccl:recv
    rt cudaEventRecord
    comm_waits
    launch send_receive
    rt cudaEventRecord
)";

}  // namespace stepscope::demo
