"""`_workflow/article/config.yaml`: the settings of a project for its articles. Agents never write this file."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from signoff.artifacts.yaml_forms import Form, OneOf
from signoff.core.declarations import Reader
from signoff.core.terms import Term, Terms
from signoff.workflows.article.places import SOURCES
from signoff.workflows.kit.config_file import Settings, SettingsForm

PATH = "_workflow/article/config.yaml"

DEFAULT = """\
# What this project decides for its articles. Edit it any time: it is read again at every step.
search:
  where: folder              # folder: the documents in 0-sources/; web: a search provider, with BRAVE_API_KEY set
  hits: 8                    # per query
  pages: 12                  # fetched in each of the two phases of research at most
revisions: 2                 # of a draft that its checks or a proofreader send back; then a person is asked
characters: 1.6              # Chinese articles: characters for a word of the length
blocked: 2                   # hooks and conclusions of so many articles before this one are not used again
budget:
  turns: 40                  # also: tokens, cost (USD), seconds; of all runs together: _workflow/budget.yaml
"""


class Search(Form):
    where: Annotated[str, OneOf(Terms(Term("folder", zh="文件夹"), Term("web", zh="网络")))] = "folder"
    hits: Annotated[int, Field(ge=1, le=20, description="a whole number from 1 to 20")] = 8
    pages: Annotated[int, Field(ge=1, le=60, description="a whole number from 1 to 60")] = 12

    def params(self, language: str) -> dict[str, object]:
        """The parameters of a search."""
        return {"from": self.where, "folder": SOURCES, "limit": self.hits, "language": language}


class Config(SettingsForm):
    """The config as a value; every field has a safe default."""

    search: Search = Search()
    revisions: Annotated[int, Field(ge=0, le=10, description="a whole number from 0 to 10")] = 2
    characters: Annotated[float, Field(ge=1, le=3, description="a number from 1 to 3")] = 1.6
    blocked: Annotated[int, Field(ge=0, le=20, description="a whole number from 0 to 20")] = 2


def scaffold(_read: Reader) -> dict[str, str]:
    """The config of a new project."""
    return {PATH: DEFAULT}


SETTINGS: Final = Settings(PATH, Config)
parse_doc, config_of, budget_of, models_of = SETTINGS.parse, SETTINGS.of, SETTINGS.budget, SETTINGS.models
