"""The program that hooks/run starts: it finds the package beside this folder, and runs `bg.hook`."""

import _signal  # `signal` itself is five times the cost
import contextlib
import gc
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # `importlib` brings `warnings`
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader, cache_from_source
from types import ModuleType

# pathlib would cost a fifth of a bare interpreter's start, and this runs at every event.
PLUGIN = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
PLACE = os.environ.get("BG_PLACE", "")


def is_closed(folder: str) -> bool:
    """Whether nobody else can have put code into a folder: only this user can write to it, or it does not exist yet."""
    try:
        found = os.stat(folder)
    except OSError:
        return os.path.isabs(folder)
    return os.path.isabs(folder) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


if sys.version_info < (3, 9):  # noqa: UP036 - the noted Python may have been replaced by an old one, which reads this
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(PLACE or os.devnull, "python"))
    sys.exit("bg: " + sys.executable + " is older than Python 3.9; the next hook looks for another one")

# The host ends hooks after 20 seconds, but may not reach this process, whose answer nobody reads any more.
_signal.alarm(20)

# The process ends with the event: collecting garbage as often as Python does would cost a twelfth more.
gc.set_threshold(100_000)

# Files that a hook makes are its user's alone. A check that the user named makes its files with the user's own umask.
os.environ["BG_UMASK"] = f"{os.umask(0o077):o}"

read_code = SourceFileLoader.get_code


def whole_code(loader: SourceFileLoader, name: str) -> object:
    """Load a module's code as Python does, but delete half a compiled file and compile the source again."""
    try:
        return read_code(loader, name)
    except (EOFError, ValueError, TypeError):
        path = loader.get_filename(name)
        with contextlib.suppress(OSError):
            os.unlink(cache_from_source(path))
        return loader.source_to_code(loader.get_data(path), path)


class Late(ModuleType):
    """A module that is read when one of its names is first asked for.

    An event needs half of the modules that it imports; reading them all would cost it a sixth more.
    """

    def __getattribute__(self, name: str) -> object:
        """Read the module, then answer as any module does."""
        spec = object.__getattribute__(self, "__spec__")
        object.__setattr__(self, "__class__", ModuleType)
        try:
            spec.loader.read(self)
        except BaseException as error:
            object.__setattr__(self, "__class__", Late)
            if isinstance(error, AttributeError):  # the caller would take it for the lack of the name that it asked for
                raise ImportError(f"{spec.name} cannot be read: {error}") from error  # noqa: TRY004
            raise
        return getattr(self, name)


class LateLoader(SourceFileLoader):
    """Leaves a module unread until it is needed, and reads it in fewer steps than Python's own loader takes."""

    read = SourceFileLoader.exec_module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module unread for now."""
        object.__setattr__(module, "__class__", Late)

    def get_code(self, name: str) -> object:
        """The compiled code, if its file can be read and fits the source as it is; else the code as Python loads it."""
        try:
            with open(compiled(self.path), "rb", 0) as file:
                data = file.read()
            found = os.stat(self.path)
            if data[:16] == MAGIC_NUMBER + b"\0\0\0\0" + _word(found.st_mtime) + _word(found.st_size):
                return marshal.loads(memoryview(data)[16:])  # noqa: S302 - as Python does
        except (OSError, EOFError, ValueError, TypeError):
            pass
        return super().get_code(name)


def _word(number: float) -> bytes:
    return (int(number) & 0xFFFFFFFF).to_bytes(4, "little")


def compiled(path: str) -> str:
    """The path at which Python keeps the compiled source; Python is asked once for each folder."""
    folder, _, name = path.rpartition("/")
    if folder not in FOLDERS:
        FOLDERS[folder] = cache_from_source(folder + "/*.py").split("*")
    before, after = FOLDERS[folder]
    return before + name[:-3] + after


FOLDERS: dict[str, list[str]] = {}


class LateFinder:
    """Finds the modules of this plugin; its packages and the modules of others are read at once."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        """The spec of a module of this plugin, else None; a room's module is in its folder, and needs no search."""
        if not name.startswith("bg."):
            return None
        if name.count(".") > 1:
            source = f"{path[0]}/{name.rpartition('.')[2]}.py"  # type: ignore[index]
            if os.path.exists(source):
                spec = ModuleSpec(name, LateLoader(name, source), origin=source)
                spec.has_location, spec.cached = True, compiled(source)
                return spec
            return None
        spec = PathFinder.find_spec(name, path, target)  # type: ignore[arg-type]
        if spec and isinstance(spec.loader, SourceFileLoader) and not spec.submodule_search_locations:
            spec.loader = LateLoader(name, spec.loader.path)
        return spec


# Python before 3.13.1 leaves half a compiled file on a disk that fills up, which would stop every later hook.
SourceFileLoader.get_code = whole_code  # type: ignore[method-assign,assignment]
sys.meta_path.insert(0, LateFinder)  # type: ignore[arg-type]
sys.path.insert(0, os.path.join(PLUGIN, "scripts"))
if is_closed(PLACE):
    sys.pycache_prefix = os.path.join(PLACE, "pycache")
    sys.path.append(os.path.join(PLACE, "packages"))
else:
    sys.dont_write_bytecode = True

from bg.hook import main

status = main(ends=True)
with contextlib.suppress(OSError, ValueError):
    sys.stdout.flush()
os._exit(status)  # closing everything in order would take longer than many an event, and sync the ledger thrice
