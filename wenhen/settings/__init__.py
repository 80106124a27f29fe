"""The settings: their names, defaults and bounds, by section. Their sources: `wenhen.runtime.settings_sources`."""

import os.path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

ExpandedPath = Annotated[str, AfterValidator(os.path.expanduser)]  # of a file or folder; ~ is the home of the user


class Section(BaseModel):
    """A group of settings. Unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
