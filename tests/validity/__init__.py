"""Do the intervals cover what they say? Simulated through the shipped code: `python -m tests.validity`.

One thread for linear algebra, set before numpy loads: the arrays are small and the machine is shared.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
