import json
import numpy as np
import pandas as pd
import findings, tables
from sklearn.linear_model import LogisticRegression

table = tables.read_one("titanic.csv")
df = table.frame
print("shape", df.shape, "notes", [str(n) for n in table.notes])
found = findings.standard(table, hints=("survived",))
o = found.outcome
print("outcome", o.column, o.count, o.total, round(o.rate, 4))
print("missing", [(m.column, m.count) for m in found.overview.missing])
print("V", [(r.by, round(r.strength, 3)) for r in found.rates])

ru = {"Sex": {"female": "Женщины", "male": "Мужчины"}, "Embarked": {"S": "Саутгемптон", "C": "Шербур", "Q": "Куинстаун"}}
df["sex"] = df["Sex"].map(ru["Sex"])
df["cls"] = df["Pclass"].astype(int).astype(str) + " класс"
df["age"] = pd.cut(df["Age"], [0, 6, 16, 30, 45, 60, 200], right=False,
                   labels=["0–5", "6–15", "16–29", "30–44", "45–59", "60+"]).astype(object).where(df["Age"].notna(), "не указан")
df["adult"] = np.where(df["Age"].isna(), "возраст не указан", np.where(df["Age"] < 16, "дети до 16", "взрослые 16+"))
df["family"] = df["SibSp"] + df["Parch"] + 1
df["fam"] = pd.cut(df["family"], [0, 1, 2, 3, 4, 20], labels=["1 (один)", "2", "3", "4", "5 и более"]).astype(str)
df["fareq"] = pd.qcut(df["Fare"], 4, labels=["Q1", "Q2", "Q3", "Q4"]).astype(str)
df["port"] = df["Embarked"].map(ru["Embarked"])
df["cabin"] = np.where(df["Cabin"].notna(), "каюта указана", "каюта не указана")
df["fare_half"] = np.where(df["Fare"] > df.groupby("Pclass")["Fare"].transform("median"), "дороже медианы класса", "не дороже медианы класса")
df["party"] = df.groupby("Ticket")["Ticket"].transform("size")


def rates(*by):
    g = df.dropna(subset=list(by)).groupby(list(by), observed=True)["Survived"].agg(["size", "sum"]).reset_index()
    return [{**{k: r[k] for k in by}, "n": int(r["size"]), "survived": int(r["sum"]),
             "rate": round(r["sum"] / r["size"], 4)} for _, r in g.iterrows()]


cuts = {"sex": ("sex",), "class": ("cls",), "class_sex": ("cls", "sex"), "age": ("age",), "adult": ("adult",),
        "adult_sex": ("adult", "sex"), "adult_class": ("adult", "cls"), "family": ("fam",), "family_sex": ("fam", "sex"),
        "family_class": ("fam", "cls"), "fare": ("fareq",), "fare_in_class": ("cls", "fare_half"),
        "port": ("port",), "port_class": ("port", "cls"), "cabin": ("cabin",), "cabin_class": ("cls", "cabin")}
fig = {k: rates(*by) for k, by in cuts.items()}
for k, by in cuts.items():
    whole = int(df.dropna(subset=list(by)).shape[0])
    assert sum(r["n"] for r in fig[k]) == whole, k
    print(k, "; ".join("/".join(str(r[b]) for b in by) + f" {r['survived']}/{r['n']}={r['rate']:.1%}" for r in fig[k]))


def cramer(col):
    t = pd.crosstab(df[col], df["Survived"]).to_numpy(float)
    e = t.sum(1, keepdims=True) * t.sum(0) / t.sum()
    return round(float(np.sqrt(((t - e) ** 2 / e).sum() / t.sum())), 3)


v = {k: cramer(c) for k, c in {"Пол": "sex", "Класс": "cls", "Каюта указана": "cabin", "Тариф (квартили)": "fareq",
                               "Размер семьи": "fam", "Порт": "port", "Дети/взрослые/нет возраста": "adult"}.items()}
print("cramer", v)
d = df.dropna(subset=["port"])
X = pd.DataFrame({"Женщина": d["sex"].eq("Женщины"), "2-й класс (против 1-го)": d["Pclass"].eq(2), "3-й класс (против 1-го)": d["Pclass"].eq(3),
                  "Ребёнок до 16": d["adult"].eq("дети до 16"), "Возраст не указан": d["adult"].eq("возраст не указан"),
                  "Семья 5 и более": d["family"].ge(5), "Шербур (против Саутгемптона)": d["Embarked"].eq("C"),
                  "Куинстаун (против Саутгемптона)": d["Embarked"].eq("Q"), "Тариф выше медианы класса": d["fare_half"].str.startswith("дороже")}).astype(float)
m = LogisticRegression(penalty=None, max_iter=2000, tol=1e-10).fit(X, d["Survived"])
ors = {c: round(float(np.exp(b)), 2) for c, b in zip(X.columns, m.coef_[0])}
print("odds ratios, n =", len(d), ors)
extra = {"share_first_class_by_port": df.groupby("port").apply(lambda g: round(float(g["Pclass"].eq(1).mean()), 4), include_groups=False).to_dict(),
         "female_share_by_family": df.groupby("fam")["Sex"].apply(lambda s: round(float(s.eq("female").mean()), 4)).to_dict(),
         "median_fare_by_class": df.groupby("cls")["Fare"].median().round(2).to_dict(), "tickets_shared_rows": int(df["party"].gt(1).sum()),
         "zero_fares": int(df["Fare"].eq(0).sum())}
print(extra)
miss = {c: int(n) for c, n in df[["Age", "Cabin", "Embarked"]].isna().sum().items()}
fig |= {"overall": {"n": len(df), "survived": int(df["Survived"].sum()), "rate": round(float(df["Survived"].mean()), 4)},
        "cramers_v": v, "odds_ratios": ors, "odds_n": len(d), "extra": extra, "missing": miss}
json.dump(fig, open("figures.json", "w"), ensure_ascii=False, indent=1)

titles = {"sex": "Пол", "class": "Класс", "class_sex": "Класс и пол", "age": "Возраст, лет", "adult_sex": "Дети и взрослые по полу",
          "adult_class": "Дети и взрослые по классу", "family": "Размер семьи на борту", "family_sex": "Размер семьи и пол",
          "fare": "Тариф, квартили", "fare_in_class": "Тариф внутри класса", "port": "Порт посадки", "port_class": "Порт и класс",
          "cabin": "Запись о каюте", "cabin_class": "Запись о каюте внутри класса"}
md = ["# Титаник: кто выживал", "", f"Выжили {fig['overall']['survived']} из {len(df)} ({fig['overall']['rate']:.1%}).", ""]
for k, title in titles.items():
    md += [f"## {title}", ""] + [f"- {', '.join(str(r[b]) for b in cuts[k])}: {r['survived']} из {r['n']} ({r['rate']:.1%})"
                                 + (" — мало случаев" if r["n"] < 30 else "") for r in fig[k]] + [""]
md += ["## Сила связи с выживанием (V Крамера)", ""] + [f"- {k}: {x}" for k, x in sorted(v.items(), key=lambda i: -i[1])]
md += ["", f"## Отношения шансов при прочих равных (логистическая регрессия, n = {len(d)})", ""] + [f"- {k}: {x}" for k, x in ors.items()]
md += ["", "## Ограничения", "", f"- Пропуски: возраст {miss['Age']}, каюта {miss['Cabin']}, порт {miss['Embarked']} из {len(df)}.",
       "- Связь — ещё не причина: данных о шлюпках и расположении на борту нет. Тариф указан за билет, который бывает общим.", ""]
open("eda.md", "w").write("\n".join(md))
