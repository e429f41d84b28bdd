"""`python -m pi_lsp` is `pi-lsp`."""

import sys

from pi_lsp.cli import main

sys.exit(main())
