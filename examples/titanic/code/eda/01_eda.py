import facts
import findings
import pandas as pd
import tables

table = tables.read_one("titanic.csv")
df = table.frame
for note in table.notes:
    print("-", note)
facts.language("ru")
NAMES = {"male": "мужчины", "female": "женщины", "C": "Шербур (C)", "Q": "Квинстаун (Q)", "S": "Саутгемптон (S)"}
df["band"] = pd.cut(df["Age"], [0, 12, 18, 35, 60, 120], right=False,
                    labels=["0–11 лет", "12–17 лет", "18–34 года", "35–59 лет", "60 лет и старше"]).astype(object)
df["family"] = (df["SibSp"] + df["Parch"] + 1).map(lambda n: "один" if n == 1 else "2–4 человека" if n <= 4 else "5 и больше")

rows = facts.fact("rows", "len(df)", of=df)
columns = facts.fact("columns", "df.shape[1] - 2", of=df)  # without the two columns made here
survived = facts.fact("survived", "Survived.sum()", of=df)
rate = facts.fact("survived_share", "Survived.mean()", of=df, unit="%")
age = facts.fact("median_age", "Age.median()", of=df)
age_n = facts.fact("known_age", "Age.count()", of=df)
free = facts.fact("zero_fare", "(Fare == 0).sum()", of=df)
twins = facts.fact("duplicates", "df.duplicated().sum()", of=df)
missing = facts.table("missing", "df.isna().sum()", of=df)
missing_share = facts.table("missing_share", "df.isna().mean()", of=df, unit="%")
cabin = facts.fact("cabin_missing_share", "Cabin.isna().mean()", of=df, unit="%")


def percent(share):
    return f"{share * 100:.1f} %".replace(".", ",")


def rates(key, by, head):
    """A section of the report: the rate and the size of each group; the groups must add up."""
    group = facts.table(key, f"groupby({by!r}).Survived.agg(['mean', 'count', 'sum'])", of=df)
    known = df[by].notna() if isinstance(by, str) else df[by].notna().all(axis=1)
    assert group["count"].sum() == known.sum() and group["sum"].sum() == df.loc[known, "Survived"].sum()
    lines = [f"## {head}", "", "| группа | выжили | доля | всего |", "|---|---|---|---|"]
    for label, row in group.iterrows():
        parts = label if isinstance(label, tuple) else (label,)
        name = ", ".join(NAMES.get(x, f"{x}-й класс" if isinstance(x, int) else str(x)) for x in parts)
        lines.append(f"| {name} | {int(row['sum'])} | {percent(row['mean'])} | {int(row['count'])} |")
        print(head, name, int(row["sum"]), percent(row["mean"]), int(row["count"]))
    return [*lines, ""]


report = ["# Титаник: кто выживал", "",
          f"{rows} строка, {columns} колонок; выжили {survived} из {rows} = {rate}. Медианный возраст {age} лет "
          f"(по {age_n} записям с известным возрастом).", "",
          "## Качество данных", "",
          f"- Полных дубликатов строк: {twins}. Билетов с нулевым тарифом (Fare = 0): {free}.",
          "- Пропуски: " + ", ".join(f"{c} {n} ({percent(missing_share[c])})" for c, n in missing.items()
                                     if n and c in ("Age", "Cabin", "Embarked")) + "; в остальных колонках 0.", ""]
report += rates("by_sex", "Sex", "По полу")
report += rates("by_class", "Pclass", "По классу")
report += rates("by_class_sex", ["Pclass", "Sex"], "По классу и полу")
report += rates("by_band", "band", "По возрасту (где известен)")
report += rates("by_family", "family", "По размеру семьи на борту")
report += rates("by_port", "Embarked", "По порту посадки")
report += ["## Сила связи с выживанием (V Крамера)", ""]
for x in findings.standard(table, hints=("выжив", "survived")).rates[:6]:
    report.append(f"- {x.by}: {x.strength:.2f}".replace(".", ","))
    print(report[-1])
first = facts.table("classes_of_ports", "pd.crosstab(Embarked, Pclass, normalize='index')[1]", of=df, unit="%")
report += ["", "## Чего данные не говорят", "",
           "- Это связи, а не причины: пол, класс и порт переплетены (доля 1-го класса: "
           + ", ".join(f"{NAMES[p]} {percent(v)}" for p, v in first.items()) + ").",
           "- Возрастные группы — только по записям с известным возрастом.", ""]
facts.assume("Доли по возрасту посчитаны по записям с известным возрастом, по порту — с известным портом")
facts.assume("Семья — сам пассажир, SibSp и Parch вместе")
with open("eda.md", "w", encoding="utf-8") as file:
    file.write("\n".join(report))
print("\n".join(report[:8]), report[-5:])
