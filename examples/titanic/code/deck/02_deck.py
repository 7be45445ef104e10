import json
import os
import numpy as np
import pandas as pd
import tables
from deck import Deck

F = json.load(open("figures.json"))
df = tables.read_one("titanic.csv").frame


def pct(x):
    return f"{x:.1%}".replace(".", ",")


def num(x):
    return f"{x:.2f}".replace(".", ",")


def pick(cut, **by):
    return next(r for r in F[cut] if all(r[k] == v for k, v in by.items()))


def series(cut, key, order, label="{} (n = {})"):
    return {label.format(o, pick(cut, **{key: o})["n"]): pick(cut, **{key: o})["rate"] for o in order}


def grid(cut, row, rows, col, cols):
    return pd.DataFrame({c: {r: pick(cut, **{row: r, col: c})["rate"] for r in rows} for c in cols})


# second way: the main figures straight from the file
assert F["overall"]["survived"] == int(df["Survived"].sum()) and F["overall"]["n"] == len(df)
w, m = pick("sex", sex="Женщины"), pick("sex", sex="Мужчины")
assert round(df.loc[df["Sex"].eq("female"), "Survived"].mean(), 4) == w["rate"]
CL = ["1 класс", "2 класс", "3 класс"]
c1, c2, c3 = (pick("class", cls=c) for c in CL)
cs = {(c, s): pick("class_sex", cls=c, sex=s) for c in CL for s in ("Женщины", "Мужчины")}
kid, adult, noage = (pick("adult", adult=a) for a in ("дети до 16", "взрослые 16+", "возраст не указан"))
boy, man = pick("adult_sex", adult="дети до 16", sex="Мужчины"), pick("adult_sex", adult="взрослые 16+", sex="Мужчины")
solo, big, four = (pick("family", fam=k) for k in ("1 (один)", "5 и более", "4"))
big3 = pick("family_class", fam="5 и более", cls="3 класс")
q1, q4, cher = pick("fare", fareq="Q1"), pick("fare", fareq="Q4"), pick("port", port="Шербур")

# odds ratios with 95% intervals: logistic regression by Newton's method
d2 = df.dropna(subset=["Embarked"])
fam = d2["SibSp"] + d2["Parch"] + 1
med = df.groupby("Pclass")["Fare"].transform("median").loc[d2.index]
X = pd.DataFrame({"Женщина": d2["Sex"].eq("female"), "2-й класс (против 1-го)": d2["Pclass"].eq(2), "3-й класс (против 1-го)": d2["Pclass"].eq(3),
                  "Ребёнок до 16": d2["Age"].lt(16), "Возраст не указан": d2["Age"].isna(), "Семья 5 и более": fam.ge(5),
                  "Шербур (против Саутгемптона)": d2["Embarked"].eq("C"), "Куинстаун (против Саутгемптона)": d2["Embarked"].eq("Q"),
                  "Тариф выше медианы класса": d2["Fare"].gt(med)}).astype(float)
A = np.column_stack([np.ones(len(X)), X.to_numpy()])
y, b = d2["Survived"].to_numpy(float), np.zeros(A.shape[1])
for _ in range(30):
    p = 1 / (1 + np.exp(-A @ b))
    H = A.T @ (A * (p * (1 - p))[:, None])
    b = b + np.linalg.solve(H, A.T @ (y - p))
se = np.sqrt(np.diag(np.linalg.inv(H)))
for name, beta in zip(X.columns, b[1:]):
    assert abs(np.exp(beta) - F["odds_ratios"][name]) < 0.02, (name, np.exp(beta))
odds = pd.DataFrame([(n, num(np.exp(k)), f"{num(np.exp(k - 1.96 * s))}–{num(np.exp(k + 1.96 * s))}",
                      "да" if abs(k) > 1.96 * s else "нет") for n, k, s in zip(X.columns, b[1:], se[1:])],
                    columns=["Признак", "Отношение шансов", "95% интервал", "Отличается от 1"]).set_index("Признак")
print(odds.to_csv(sep="|"))
OR = odds["Отношение шансов"]

YT = "Доля выживших"
d = Deck(f"Титаник: женщины выживали в {num(w['rate'] / m['rate'])[:-1]} раза чаще мужчин", subtitle=f"Кто выживал и почему · {len(df)} пассажиров",
         language="ru", source="titanic.csv")
d.kpis(f"Выжили {pct(F['overall']['rate'])}: решали пол, класс и возраст",
       [(pct(F["overall"]["rate"]), f"выжили: {F['overall']['survived']} из {F['overall']['n']}"), (pct(w["rate"]), f"женщин, n = {w['n']}"),
        (pct(m["rate"]), f"мужчин, n = {m['n']}"), (pct(c1["rate"]), f"1 класс, n = {c1['n']}"), (pct(c3["rate"]), f"3 класс, n = {c3['n']}"),
        (pct(kid["rate"]), f"детей до 16, n = {kid['n']}")])
d.column(f"Выжили {pct(w['rate'])} женщин и {pct(m['rate'])} мужчин", series("sex", "sex", ["Женщины", "Мужчины"]), percent=True,
         x_title="Пол", y_title=YT, highlight=f"Женщины (n = {w['n']})",
         takeaway=f"Пол связан с выживанием сильнее всего: V Крамера {num(F['cramers_v']['Пол'])}, у класса {num(F['cramers_v']['Класс'])}.")
d.column(f"От 1-го к 3-му классу доля выживших падает с {pct(c1['rate'])} до {pct(c3['rate'])}", series("class", "cls", CL), percent=True,
         x_title="Класс", y_title=YT, takeaway=f"3-й класс — {c3['n']} из {len(df)} пассажиров и {c3['n'] - c3['survived']} из {len(df) - F['overall']['survived']} погибших.")
d.column(f"Женщины 1–2 класса выживали почти все, в 3-м — {pct(cs['3 класс', 'Женщины']['rate'])}", grid("class_sex", "cls", CL, "sex", ["Женщины", "Мужчины"]),
         percent=True, x_title="Класс", y_title=YT,
         takeaway=f"Женщина 3-го класса ({pct(cs['3 класс', 'Женщины']['rate'])} из {cs['3 класс', 'Женщины']['n']}) выживала чаще мужчины 1-го ({pct(cs['1 класс', 'Мужчины']['rate'])} из {cs['1 класс', 'Мужчины']['n']}).")
d.column(f"Дети до 6 лет выживали чаще всех: {pct(pick('age', age='0–5')['rate'])}", series("age", "age", ["0–5", "6–15", "16–29", "30–44", "45–59", "60+", "не указан"]),
         percent=True, x_title="Возраст, лет", y_title=YT,
         takeaway=f"Мальчики до 16: {pct(boy['rate'])} из {boy['n']}; мужчины 16+: {pct(man['rate'])} из {man['n']}. В группе 60+ мало случаев.")
d.column(f"Семьи из 2–4 человек выживали чаще, от 5 — лишь {pct(big['rate'])}", series("family", "fam", ["1 (один)", "2", "3", "4", "5 и более"]),
         percent=True, x_title="Размер семьи на борту", y_title=YT,
         takeaway=f"Семьи от 5 человек — это {big3['n']} из {big['n']} в 3-м классе. Среди одиночек {pct(1 - F['extra']['female_share_by_family']['1 (один)'])} — мужчины.")
d.table("При прочих равных высокий тариф шансов не прибавляет", odds,
        takeaway=f"Q1–Q4 тарифа: {pct(q1['rate'])} и {pct(q4['rate'])}, но внутри класса ОШ {OR['Тариф выше медианы класса']}. Шербур ({pct(cher['rate'])}) на {pct(F['extra']['share_first_class_by_port']['Шербур'])} — 1-й класс.",
        notes=f"Логистическая регрессия, n = {len(d2)}; база: мужчина, 1-й класс, 16+, Саутгемптон.")
d.two_columns("Выживание связано с полом, классом и возрастом; причины данные не доказывают",
              ("Кто выживал", [f"Женщины: шансы в {OR['Женщина']} раза выше при прочих равных", f"1-й класс: {pct(c1['rate'])} против {pct(c3['rate'])} в 3-м",
                               f"Дети до 16: {pct(kid['rate'])} против {pct(adult['rate'])} у взрослых", f"Реже всех — мужчины 3-го класса: {pct(cs['3 класс', 'Мужчины']['rate'])}"]),
              ("Ограничения", [f"Возраст не указан у {F['missing']['Age']}, каюта — у {F['missing']['Cabin']} из {len(df)}", "Нет данных о шлюпках и месте на борту",
                               "Тариф указан за билет, иногда общий", "Связь — ещё не причина"]))
d.save("titanic.pptx")
assert d.slides == 9 and os.path.exists("titanic.pptx")
