"""`python -m surefold` is the command `surefold`."""

import sys

from surefold.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
