"""The book of games: what is in it survives, and what is not one is left alone."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ludens.web.server.store import Store, StoredTable


def test_rows_come_back_newest_first(tmp_path: Path) -> None:
    async def use() -> None:
        store = Store(tmp_path / "deep" / "games.sqlite")
        rows = [StoredTable(f"table{n}", "{}", "{}", n, False, None, float(n)) for n in range(5)]
        await asyncio.gather(*(store.save(row) for row in rows))
        await asyncio.gather(store.save(rows[0]._replace(ply=9)), store.save(rows[0]._replace(ply=10, over=True)))
        assert await store.find("table0") == rows[0]._replace(ply=10, over=True)
        assert [row.id for row in await store.newest(3)] == ["table4", "table3", "table2"]
        await store.delete("table4")
        assert await store.find("table4") is None
        store.close()
        again = Store(tmp_path / "deep" / "games.sqlite")
        assert len(await again.newest(10)) == 4
        again.close()

    _run(use())


def test_files_that_are_not_ours_are_left_alone(tmp_path: Path) -> None:
    text, other, later = (tmp_path / name for name in ("text", "other.sqlite", "later.sqlite"))
    text.write_text("a diary, and not short enough to be taken for an empty database\n" * 20)
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE things (name TEXT)")
    database.close()
    Store(later).close()
    with sqlite3.connect(later) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    for path in (text, other, later):
        before = path.read_bytes()
        with pytest.raises(ValueError, match=r"expected|cannot be opened"):
            Store(path)
        assert path.read_bytes() == before


def _run(coroutine: Any) -> None:
    """In a thread of its own: a browser that other tests drive may have a loop in this one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()
