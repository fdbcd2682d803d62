"""``python -m flake8_torchtrace`` is ``torchtrace``."""

import sys

from flake8_torchtrace.cli import main

sys.exit(main())
