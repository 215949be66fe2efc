// Knows where libraries lie, and the names of those that training jobs call.
#include "base/library_files.h"

#include <array>
#include <ranges>
#include <string_view>
#include <unordered_set>

#include "base/match_any.h"

namespace stepscope {
namespace {

constexpr auto kPlaces =
    std::to_array<std::string_view>({"site-packages/", "dist-packages/", "lib/python3", "/Lib/",
                                     "torchinductor_", "site-packages\\"});

// Modules of Python's own whose names nobody gives a file of a training program, and libraries that
// such programs call, between spaces.
constexpr std::string_view kLibraries =
    "IPython PIL __future__ _bootlocale _collections_abc _compression _pytest _weakrefset abc "
    "absl accelerate aiohttp albumentations apex argparse ast asyncio base64 bdb bisect "
    "bitsandbytes boto3 botocore bz2 cProfile codecs collections concurrent configparser "
    "contextlib contextvars copy copyreg csv ctypes cv2 dataclasses datetime decimal "
    "deepspeed diffusers dill dis einops email encodings enum fairscale faiss flash_attn flax "
    "fnmatch fractions fsspec functools functorch genericpath getpass glob gzip h5py hashlib "
    "heapq hmac html http huggingface_hub imageio importlib inspect io ipaddress ipykernel "
    "jax jaxlib joblib json keras librosa lightning lightning_fabric linecache locale logging "
    "lzma matplotlib mimetypes msgpack multiprocess multiprocessing networkx nltk ntpath "
    "numba numpy omegaconf opcode operator optax orjson os pandas pathlib pdb peft pickle "
    "pkgutil posixpath pprint psutil pyarrow pydantic pytorch_lightning queue random ray re "
    "regex reprlib requests runpy s3fs safetensors scipy selectors sentencepiece shutil "
    "signal site skimage sklearn socket socketserver soundfile spacy sqlite3 sre_compile "
    "sre_parse ssl statistics string struct subprocess sympy tarfile tempfile tensorboard "
    "tensorboardX tensordict tensorflow textwrap threading tiktoken timm tokenizers torch "
    "torch_xla torchaudio torchdata torchmetrics torchtext torchvision tornado tqdm traceback "
    "transformers triton typing typing_extensions ujson unittest urllib urllib3 uuid wandb "
    "warnings weakref webdataset xformers xml yaml zipfile zipimport zmq";

// Their own modules, as profilers write them that leave out folders.
constexpr std::string_view kModules =
    "ad_checkpoint.py api_util.py batching.py compilation_cache.py compiler.py "
    "custom_derivatives.py fromnumeric.py lax_numpy.py linear_util.py mlir.py named_sharding.py "
    "partial_eval.py pjit.py profiler.py pxla.py shard_map.py sharding_impls.py "
    "source_info_util.py traceback_util.py tree_util.py ufuncs.py xla_bridge.py";

constexpr auto kTrains = std::to_array<std::string_view>(
    {"torch/autograd/", "torch/distributed/", "torch/nn/", "jax/_src/", "flax/"});

// "torch" of "torch/nn/modules/module.py", "queue" of "queue.py".
std::string_view TopOf(std::string_view file) {
  const std::string_view top = file.substr(0, file.find_first_of("/\\"));
  return top.ends_with(".py") ? top.substr(0, top.size() - 3) : top;
}

using Words = std::unordered_set<std::string_view>;

// Of a text with spaces between them.
Words WordsOf(std::string_view text) {
  Words words;
  for (const auto word : std::views::split(text, ' ')) {
    if (!word.empty()) words.emplace(word.begin(), word.end());
  }
  return words;
}

}  // namespace

bool IsLibraryFile(std::string_view file) {
  // "<frozen importlib._bootstrap>", "<string>", "<eval_with_key>.3"; cells of a notebook are the
  // user's.
  if (file.starts_with('<')) return !file.starts_with("<ipython-input");
  static const Words libraries = WordsOf(kLibraries), modules = WordsOf(kModules);
  const std::string_view top = TopOf(file);
  const bool is_private = top.starts_with('_') && !top.starts_with("__");  // "_methods.py"
  return is_private || libraries.contains(top) || modules.contains(file) ||
         ContainsAny(file, kPlaces);
}

bool IsOfTraining(std::string_view file) { return ContainsAny(file, kTrains); }

}  // namespace stepscope
