"""Grid search: choose parameters in a scikit-learn pipeline

After this example you can put the classifier at the end of a pipeline, let cross-validation choose its parameters, and
weigh accuracy against the number of rules that people have to read.
"""

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline

from unless import UnlessClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

pipeline = make_pipeline(SelectKBest(), UnlessClassifier())
pipeline.set_output(transform="pandas")  # so that rules keep the names of the columns
grid = {"selectkbest__k": [10, 30], "unlessclassifier__max_rules": [2, 3, 5, None]}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = GridSearchCV(pipeline, grid, scoring="balanced_accuracy", cv=folds).fit(X_train, y_train)

print("Balanced accuracy over five folds:\n")
found = pd.DataFrame(search.cv_results_["params"]).set_axis(["columns", "at most"], axis="columns")
found["at most"] = found["at most"].map(lambda most: "any number" if pd.isna(most) else f"{most:.0f} rules")
found["accuracy"] = search.cv_results_["mean_test_score"]
print(found.pivot_table(values="accuracy", index="at most", columns="columns", sort=False).round(3).to_string())

print(f"\nThe best, learned again from all {len(X_train)} records:\n")
print(search.best_estimator_[-1])
print(f"\nOn {len(X_test)} records that were held back: {search.score(X_test, y_test):.3f}")

print("\nThe features that matter, by the accuracy that is lost without them:\n")
best = search.best_estimator_
importances = pd.Series(best[-1].feature_importances_, best[:-1].get_feature_names_out())
print(importances[importances > 0].sort_values(ascending=False).round(2).to_string())
