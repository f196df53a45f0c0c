"""What hooks/run starts: finds the package beside this folder, hands over standard input and output."""

import os
import sys

# pathlib would cost a fifth of a bare interpreter's start, and this runs at every event.
PLUGIN = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, os.path.join(PLUGIN, "scripts"))
sys.path.append(os.path.join(os.environ.get("BG_PLACE", ""), "packages"))

from bg.handlers import main

sys.exit(main())
