"""What is looked at and asked about, and never changed."""

import cleaning_spelling
import pandas as pd
from cleaning_table import SHOWN, Worked, places, said


class Looks(Worked):
    """Each look writes what it found to the log and to the questions."""

    def duplicates(self):
        """Rows that repeat an earlier row in every column: asked about, not dropped. Their frame."""
        found = self.frame[self.frame.duplicated()]
        if len(found):
            told = self._log.say("rows_repeat", rows=places(found))
            self._log.ask("duplicates", "", len(found), told)
        told = self._log.say("none_dropped", count=len(found))
        self._log.add("duplicates", self.frame, self.frame, "", 0, told)
        return found

    def repeated(self, columns):
        """Keys (people, orders) with several rows: asked about, not dropped. Their rows."""
        columns = [columns] if isinstance(columns, str) else list(columns)
        self._column(*columns)
        known = self.frame.dropna(subset=columns)
        found = known[known.duplicated(columns, keep=False)]
        keys = int(known[columns].drop_duplicates().shape[0])
        several = int(found[columns].drop_duplicates().shape[0])
        name = ", ".join(map(str, columns))
        if several:
            others = [item for item in found.columns if item not in columns]
            differ = [n for n in others if (found.groupby(columns)[n].nunique(dropna=False) > 1).any()]
            told = ", ".join(map(str, differ)) or self._log.say("nothing")
            shown = "; ".join(
                " ".join(map(str, key))
                for key in found[columns].drop_duplicates().head(SHOWN).itertuples(index=False)
            )
            self._log.ask("repeated", name, several, self._log.say("differ_in", keys=shown, columns=told))
        told = self._log.say("keys_found", keys=keys, several=several)
        self._log.add("repeated", self.frame, self.frame, name, 0, told)
        return found

    def similar(self, column):
        """Pairs of spellings that are close: asked about, not merged. A frame of pairs."""
        found = cleaning_spelling.close(self._column(column))
        for pair in found.head(50).itertuples():
            count = pair.rows_one + pair.rows_other
            told = f"{pair.one} ({pair.rows_one}) and {pair.other} ({pair.rows_other}): {pair.how}"
            self._log.ask("similar", column, count, told)
        told = self._log.say("none_merged", count=len(found))
        self._log.add("similar", self.frame, self.frame, column, 0, told)
        return found

    def gaps(self):
        """Missing values by column, as a Series; asked about."""
        found = self.frame.isna().sum()
        found = found[found > 0].rename("missing")
        for name, count in found.items():
            self._log.ask(
                "gaps", name, int(count), self._log.say("of_rows", count=int(count), rows=len(self.frame))
            )
        return found

    def ask(self, column, question, rows):
        """A doubt of the caller's own among the questions; `rows` is a mask of the frame. Its rows."""
        self._column(column)
        found = self.frame[pd.Series(rows, index=self.frame.index).fillna(False).astype(bool)]
        self._log.ask("asked", column, len(found), said(question))
        return found
