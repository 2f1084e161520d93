"""What MkDocs is told when it builds the site, so that the same Markdown reads well in the repository and there.

The site is laid out like the repository. MkDocs takes its pages from one folder, but README.md, CONTRIBUTING.md and
others lie outside of it, and pages link to sources, tests and examples. So the site's files are named by their path in
the repository: every link leads to the same file in both, and MkDocs checks it.
"""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
SHOWN = ("*.md", "*.cff", "*.txt", "docs/**/*", "benchmarks/**/*", "examples/*", "src/**/*.py", "tests/**/*.py")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Every file that a page may link to, and what the theme brought with it."""
    ours = [path for pattern in SHOWN for path in ROOT.glob(pattern) if path.is_file() and path.suffix != ".pyc"]
    brought = [file for file in files if not (file.abs_src_path or "").startswith(str(ROOT / "docs"))]
    named = [File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)) for path in ours]
    return Files([*brought, *named])


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Positions name their variant behind the fence (a test reads it there); on the site it becomes a title."""
    return re.sub(r"^```position *(.*)$", lambda found: f'```text title="{found[1]}"', markdown, flags=re.MULTILINE)
