"""What hooks/run starts: finds the package beside this folder, hands over standard input and output."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader

# pathlib would cost a fifth of a bare interpreter's start, and this runs at every event.
PLUGIN = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, os.path.join(PLUGIN, "scripts"))
sys.path.append(os.path.join(os.environ.get("BG_PLACE", ""), "packages"))

HEAVY = {"argparse", "difflib", "hashlib", "html", "inspect", "secrets", "subprocess", "tempfile", "traceback"}


class Late:
    """Puts off our own modules, and heavy ones of the library, until they are used: most events need few."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The usual spec, with a loader that waits."""
        if name not in HEAVY and not name.startswith("bg."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            spec.loader = LazyLoader(spec.loader)
        return spec


sys.meta_path.insert(0, Late)

from bg.handlers import main

sys.exit(main())
