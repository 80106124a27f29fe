"""Imports numba without YAML, for a file of settings, and SciPy, whose version it looks at: a seventh of what it takes.
To be imported before whatever imports numba.
"""

from store.import_without import import_without

import_without("numba", "yaml", "scipy")
