"""The command line by this file's path, for configurations and children that know no search path and no working folder.

Source: INTEROP section 11 "hosts start servers with a minimal PATH".
"""

import sys
from pathlib import Path

# the folder above `app`; the wheel has `app` inside a package, so one higher there
sys.path.insert(
    0, str(Path(__file__).resolve().parents[3 if (Path(__file__).parents[2] / "__init__.py").is_file() else 2])
)

from app.cli.main import main

if __name__ == "__main__":
    main()
