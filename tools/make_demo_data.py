"""Make the bundled predictions: two real classifiers on real rows that neither was trained on.

The data are the Wisconsin diagnostic breast cancer set (Street, Wolberg & Mangasarian 1993, UCI, CC BY 4.0) that comes
with scikit-learn. Half of the rows train both models, the other half is predicted; the scores are P(malignant).

Run: .venv/bin/python tools/make_demo_data.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

OUT = Path(__file__).parents[1] / "src" / "surefold" / "data" / "breast_cancer.csv"


def main() -> None:
    data = load_breast_cancer()
    truth = data.target_names[data.target]
    x_train, x_test, y_train, y_test = train_test_split(data.data, truth, test_size=0.5, stratify=truth, random_state=0)
    models = {"logistic": make_pipeline(StandardScaler(), LogisticRegression()), "naive_bayes": GaussianNB()}
    columns: dict[str, list[str]] = {"diagnosis": y_test.tolist()}
    for name, model in models.items():
        model.fit(x_train, y_train)
        malignant = list(model.classes_).index("malignant")
        columns[name] = model.predict(x_test).tolist()
        columns[f"p_{name}"] = [f"{p:.6g}" for p in model.predict_proba(x_test)[:, malignant]]
    with OUT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    main()
