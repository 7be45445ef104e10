import checks
import facts
import pandas as pd
from deck import Deck

df = facts.load("titanic.csv")
facts.language("ru")
columns = facts.fact("columns", "df.shape[1]", of=df)
df["пол"] = df["Sex"].map({"female": "женщины", "male": "мужчины"})
df["класс"] = df["Pclass"].map({1: "1-й класс", 2: "2-й класс", 3: "3-й класс"})
df["порт"] = df["Embarked"].map({"C": "Шербур (C)", "Q": "Квинстаун (Q)", "S": "Саутгемптон (S)"})
df["возраст"] = pd.cut(df["Age"], [0, 12, 18, 35, 60, 120], right=False,
                       labels=["0–11 лет", "12–17 лет", "18–34 года", "35–59 лет", "60 лет и старше"])

rows = facts.fact("rows", "len(df)", of=df)
survived = facts.fact("survived", "Survived.sum()", of=df)
rate = facts.fact("survived_share", "Survived.mean()", of=df, unit="%")
age = facts.fact("median_age", "Age.median()", of=df)
age_n = facts.fact("known_age", "Age.count()", of=df)
free = facts.fact("zero_fare", "(Fare == 0).sum()", of=df)
twins = facts.fact("duplicates", "df.duplicated().sum()", of=df)


def share(name, condition):
    return facts.fact(f"rate: {name}", f"Survived[{condition}].mean()", of=df, unit="%")


def size(name, condition):
    return facts.fact(f"n: {name}", f"({condition}).sum()", of=df)


women, men = share("женщины", "Sex == 'female'"), share("мужчины", "Sex == 'male'")
first, third = share("1-й класс", "Pclass == 1"), share("3-й класс", "Pclass == 3")
second = share("2-й класс", "Pclass == 2")
lady, man3 = (share("женщины 1-го класса", "(Sex == 'female') & (Pclass == 1)"),
              share("мужчины 3-го класса", "(Sex == 'male') & (Pclass == 3)"))
woman3, man1 = (share("женщины 3-го класса", "(Sex == 'female') & (Pclass == 3)"),
                share("мужчины 1-го класса", "(Sex == 'male') & (Pclass == 1)"))
child, old = share("дети до 12 лет", "Age < 12"), share("от 60 лет", "Age >= 60")
old_n = size("от 60 лет", "Age >= 60")
cherbourg, southampton = share("Шербур", "Embarked == 'C'"), share("Саутгемптон", "Embarked == 'S'")
first_c = facts.fact("1-й класс в Шербуре", "(Pclass[Embarked == 'C'] == 1).mean()", of=df, unit="%")
first_s = facts.fact("1-й класс в Саутгемптоне", "(Pclass[Embarked == 'S'] == 1).mean()", of=df, unit="%")


def by(name):
    return facts.table(f"rate by {name}", f"groupby({name!r}, observed=True).Survived.mean()", of=df, unit="%")


def n(name):
    return facts.table(f"n by {name}", f"groupby({name!r}, observed=True).Survived.count()", of=df)


d = Deck("Титаник: женщины и пассажиры 1-го класса выживали чаще", subtitle="Разведочный анализ titanic.csv",
         language="ru", source="titanic.csv", rows=len(df), slides=9)
d.kpis(f"Выжили {survived} из {rows} пассажиров: {rate}",
       [(women, "выжили среди женщин"), (men, "выжили среди мужчин"), (first, "выжили в 1-м классе"),
        (third, "выжили в 3-м классе")],
       takeaway="Сильнее всего с выживанием связан пол, затем класс билета.")
d.bar(f"Женщины выживали чаще мужчин: {women} против {men}", by("пол"), percent=True, sort=True, n=n("пол"),
      highlight="женщины", x_title="Пол", y_title="Доля выживших", takeaway="Пол разделяет пассажиров сильнее всех "
      "остальных признаков файла.", notes="Доля выживших — среднее Survived по группам Sex.")
d.column("Чем выше класс, тем больше доля выживших", by("класс"), percent=True, n=n("класс"), x_title="Класс билета",
         y_title="Доля выживших", highlight="1-й класс",
         takeaway=[f"1-й класс: {first}.", f"2-й класс: {second}.", f"3-й класс: {third}."],
         notes="Доля выживших — среднее Survived по группам Pclass.")
d.column("Внутри каждого класса женщины выживали чаще мужчин",
         facts.table("rate by class and sex", "pivot_table(index='класс', columns='пол', values='Survived')", of=df,
                     unit="%"),
         percent=True, x_title="Класс билета", y_title="Доля выживших",
         takeaway=f"От {lady} у женщин 1-го класса до {man3} у мужчин 3-го. Женщины 3-го класса ({woman3}) выживали "
         f"чаще мужчин 1-го ({man1}).",
         notes="Среднее Survived по Pclass и Sex вместе.")
d.bar(f"Дети до 12 лет выживали чаще остальных: {child}", by("возраст"), percent=True, n=n("возраст"),
      x_title="Возраст", y_title="Доля выживших", highlight="0–11 лет",
      takeaway=[f"Медианный возраст {age} лет: по {age_n} записям с известным возрастом.",
                f"От 60 лет: {old}, но это лишь {old_n} человек."],
      notes="Среднее Survived по возрастным группам; записи без возраста не вошли.")
d.column("В Шербуре выживали чаще, но там и 1-го класса больше", by("порт"), percent=True, sort=True, n=n("порт"),
         x_title="Порт посадки", y_title="Доля выживших",
         takeaway=f"Выжили в Шербуре {cherbourg}, в Саутгемптоне {southampton}; 1-м классом там ехали {first_c} и "
         f"{first_s}. Порт отчасти повторяет класс.", notes="Среднее Survived по группам Embarked.")
missing = facts.table("missing", "df[['Age', 'Cabin', 'Embarked']].isna().agg(['sum', 'mean']).T", of=df)
d.table("Каюта неизвестна у трёх из четырёх, возраст — у каждого пятого",
        missing.set_axis(["Пропусков", "Доля"], axis=1).rename_axis("Колонка").reset_index().astype({"Пропусков": int}),
        percent=["Доля"],
        takeaway=f"В остальных колонках пропусков нет. Билетов с Fare = 0: {free}. Полных дубликатов строк: {twins}.")
d.method(items=[f"Файл: {rows} строка, {columns} колонок, один набор пассажиров.",
                "Доля выживших — среднее Survived в группе; n — её размер.",
                "Это связи, а не причины: пол, класс, возраст и порт переплетены, опыта здесь не было.",
                "Группы меньше 30 человек (от 60 лет) говорят мало."])
d.save("titanic.pptx")
print(rows, columns, survived, rate, age, age_n, free, twins, women, men, first, second, third, lady, man3, woman3, man1)
print(child, old, old_n, cherbourg, southampton, first_c, first_s, missing.to_string())
checks.check("titanic.pptx", request="презентацию на 9 слайдов")
