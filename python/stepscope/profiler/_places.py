"""Where finished files go: a folder, or a URL of fsspec. A file has its final name only once it is whole."""
import os
import re
import shutil
import socket
import tempfile
from typing import Any, Dict, List, Optional
from urllib.parse import unquote, urlparse

from stepscope.profiler._problems import problem
from stepscope.profiler._who import safe

# Where a file that is being written can be seen under its name.
_GROWING = {"ftp", "hdfs", "sftp", "smb", "ssh", "webhdfs"}


def place_of(where: Any, storage_options: Optional[Dict[str, Any]] = None) -> Any:
    """A Folder for a path or a file:// URL, a Url for other URLs."""
    text = os.fspath(where)
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        return Folder(os.path.abspath(os.path.expanduser(text)))
    url = urlparse(text)
    return Folder(unquote(url.path)) if url.scheme == "file" else Url(text, storage_options or {})


class Folder:
    """A folder on a file system. It is made when the first file comes, for its user alone."""

    def __init__(self, path: str) -> None:
        self.path = path

    def draft(self, name: str) -> str:
        """A path to write the file `name` to. Readers do not see it, as it begins with a dot."""
        folder, last = os.path.split(os.path.join(self.path, name))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return os.path.join(folder, ".{}.{}.{}.part".format(last, safe(socket.gethostname()), os.getpid()))

    def publish(self, draft: str, name: str) -> str:
        """Gives the file at `draft` its name, or one with a number where another has it; returns the path."""
        target = os.path.join(self.path, name)
        folder = os.path.dirname(target)
        if os.path.dirname(draft) != folder:
            draft = _moved_beside(draft, self.draft(name))
        os.chmod(draft, 0o600)
        _sync(draft)
        for path in _numbered(target):
            if _renamed(draft, path):
                _sync(folder)
                return path
        raise OSError("all names like {} are taken".format(target))

    def remove(self, path: str) -> None:
        """Removes a published file, and the folders of a session that it leaves empty."""
        os.unlink(path)
        folder = os.path.dirname(path)
        if folder != self.path:
            try:
                os.rmdir(folder)
            except OSError:
                pass


class Url:
    """A place of fsspec. Files are written on this machine first, and kept there if the upload fails."""

    def __init__(self, url: str, options: Dict[str, Any]) -> None:
        self.path = url.rstrip("/")
        self._options = options
        self._local: Optional[str] = None

    def draft(self, name: str) -> str:
        """A path in a private folder of this machine."""
        if self._local is None:
            self._local = tempfile.mkdtemp(prefix="stepscope-")
        path = os.path.join(self._local, name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        return path

    def publish(self, draft: str, name: str) -> str:
        """Uploads the file and removes it here; returns its URL."""
        target = "{}/{}".format(self.path, name)
        try:
            self._upload(draft, target)
        except Exception as error:
            problem("a trace could not be uploaded to {}, and is kept at {}: {}: {}".format(
                _shown(target), draft, type(error).__name__, error))
            return draft
        os.unlink(draft)
        return target

    def _upload(self, draft: str, target: str) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise OSError("this needs fsspec; run: pip install fsspec") from error
        files, path = fsspec.core.url_to_fs(target, **self._options)
        protocols = {files.protocol} if isinstance(files.protocol, str) else set(files.protocol)
        if protocols & _GROWING:  # stores of objects have no folders, and would make a bucket
            folder, _, last = path.rpartition("/")
            files.makedirs(folder, exist_ok=True)
            unseen = "{}/.{}.part".format(folder, last)
            files.put_file(draft, unseen)
            files.mv(unseen, path)
        else:
            files.put_file(draft, path)

    def remove(self, path: str) -> None:
        """Removes a published file."""
        if os.path.isabs(path):  # it was kept here
            os.unlink(path)
            return
        import fsspec
        files, inner = fsspec.core.url_to_fs(path, **self._options)
        files.rm_file(inner)


def _shown(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)


def _moved_beside(path: str, target: str) -> str:
    try:
        os.replace(path, target)
    except OSError:  # of another file system
        try:
            with open(path, "rb") as source, open_private(target) as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
        except BaseException:
            discard(target)
            raise
        os.unlink(path)
    return target


def open_private(path: str) -> Any:
    """Opens a file to write that only this user may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o600), "wb")


def discard(path: str) -> None:
    """Removes a draft if it is there."""
    try:
        os.unlink(path)
    except OSError:
        pass


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        if not os.path.isdir(path):  # not every file system syncs folders
            raise
    finally:
        os.close(descriptor)


def _renamed(draft: str, path: str) -> bool:
    """Renames without replacing. Where there are no hard links, two processes may still choose one name at once."""
    try:
        os.link(draft, path)
        os.unlink(draft)
        return True
    except FileExistsError:
        return False
    except OSError:
        if os.path.lexists(path):
            return False
        os.rename(draft, path)
        return True


def _numbered(path: str) -> List[str]:
    """The path, then "rank0.w1-2.json.gz" for "rank0.w1.json.gz", and so on."""
    folder, name = os.path.split(path)
    ends = re.search(r"\.(json|xplane|trace)\b.*$", name)
    at = ends.start() if ends else len(name)
    return [path, *(os.path.join(folder, "{}-{}{}".format(name[:at], n, name[at:])) for n in range(2, 100))]
