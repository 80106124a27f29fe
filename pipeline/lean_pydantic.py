"""Lets pydantic look for no plugins among all that is installed, a thirtieth of a short command. To be imported before
whatever defines models of pydantic.
"""

import os

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
