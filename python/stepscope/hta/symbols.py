"""The names and categories of a trace, numbered: frames hold the numbers."""
from __future__ import annotations

from typing import Any, Iterable

from .names import short_name


class SymbolTable:
    """Numbers for names and categories, the same for all ranks.

    sym_table is the list of texts, sym_index the number of each. `symbols.sym_table[frame["name"].iloc[0]]` is the
    name of the first event.
    """

    def __init__(self) -> None:
        self.sym_table: list[str] = []
        self.sym_index: dict[str, int] = {}

    def add_symbols(self, symbols: Iterable[str]) -> None:
        """Numbers those that have none yet, in this order."""
        for symbol in symbols:
            if symbol not in self.sym_index:
                self.sym_index[symbol] = len(self.sym_table)
                self.sym_table.append(symbol)

    def number(self, symbol: str) -> int:
        """Returns the number of a text, a new one where it has none yet."""
        self.add_symbols([symbol])
        return self.sym_index[symbol]

    def get_sym_table(self) -> list[str]:
        """Returns the texts, by number."""
        return self.sym_table

    def get_sym_id_map(self) -> dict[str, int]:
        """Returns the number of each text."""
        return self.sym_index

    get_sym_index = get_sym_id_map

    def find_matches(self, patterns: list[str]) -> list[int]:
        """Returns the numbers of the texts that contain any of these."""
        return [number for number, text in enumerate(self.sym_table) if any(p in text for p in patterns)]

    def find_matched_symbols(self, patterns: list[str]) -> list[str]:
        """Returns the texts that contain any of these."""
        return [self.sym_table[number] for number in self.find_matches(patterns)]

    def texts(self, numbers: Any, short: bool = False) -> Any:
        """Returns the texts of an array of numbers, as an array; of numbers that are none, ""."""
        import numpy as np

        table = [short_name(text) for text in self.sym_table] if short else self.sym_table
        texts = np.array([*table, ""], dtype=object)
        numbers = np.asarray(numbers, dtype=np.int64)
        return texts[np.where((numbers < 0) | (numbers >= len(table)), len(table), numbers)]

    def decode_df(self, df: Any, create_new_columns: bool = True) -> None:
        """Adds the columns s_name and s_cat to a frame, or replaces name and cat by their texts."""
        for column in ("name", "cat"):
            if column in df.columns and df[column].dtype.kind == "i":
                df[f"s_{column}" if create_new_columns else column] = self.texts(df[column])

    def add_symbols_to_trace_df(self, trace_df: Any, col: str) -> None:
        """Replaces the numbers in one column of a frame by their texts."""
        trace_df[col] = self.texts(trace_df[col])
