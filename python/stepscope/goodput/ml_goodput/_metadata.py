"""Asks the metadata server of Google's machines, by `requests` if it is installed."""
import logging
import urllib.error
import urllib.request
from typing import Any, Optional

_SERVER = "http://metadata.google.internal/computeMetadata/v1/"
_HEADERS = {"Metadata-Flavor": "Google"}

# Parts of machine types, longer ones before what they contain.
_ACCELERATORS = (
    ("tpu7x", "TPU-7x"), ("ct6e", "TPU-v6e"), ("ct5p", "TPU-v5p"), ("ct5l", "TPU-v5e"), ("ct4p", "TPU-v4p"),
    ("ct3", "TPU-v3"), ("tpu-v2", "TPU-v2"), ("tpu", "TPU"), ("a3-ultragpu", "NVIDIA-H200"),
    ("a3-edgegpu", "NVIDIA-H100"), ("a3-highgpu", "NVIDIA-H100"), ("a3-megagpu", "NVIDIA-H100"),
    ("a2", "NVIDIA-A100"), ("gpu", "GPU"))


def accelerator_of(machine_type: Optional[str]) -> str:
    """Returns the accelerator of "projects/1/machineTypes/a3-highgpu-8g", or "UNKNOWN"."""
    name = (machine_type or "").rsplit("/", 1)[-1].lower()
    return next((accelerator for part, accelerator in _ACCELERATORS if part in name), "UNKNOWN")


def read_metadata(what: str, timeout: float, retries: int) -> Optional[str]:
    """Returns the text, or None with a warning."""
    try:
        import requests
    except ImportError:
        return _by_urllib(what, timeout)
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=_patience(retries)))
    try:
        answer = session.get(_SERVER + what, headers=_HEADERS, timeout=timeout)
        answer.raise_for_status()
        return answer.text
    except requests.exceptions.RequestException as error:
        return _unknown(what, error)


def _patience(retries: int) -> Any:
    """Retries answers that say the server is busy; a machine without that server is not asked again."""
    from urllib3.util.retry import Retry
    return Retry(total=retries, connect=0, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504))


def _by_urllib(what: str, timeout: float) -> Optional[str]:
    try:
        request = urllib.request.Request(_SERVER + what, headers=_HEADERS)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read().decode()
    except (OSError, urllib.error.URLError) as error:
        return _unknown(what, error)


def _unknown(what: str, error: Exception) -> None:
    logging.getLogger(__name__).warning("goodput: the metadata server does not tell %s: %s", what, error)
