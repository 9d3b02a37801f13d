"""A committee and its votes: more accurate, still readable

After this example you can learn many lists of rules that vote, see which votes carried a decision, and keep one list
that imitates them, for people who have to know the rules by heart.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from unless import UnlessClassifier, UnlessCommittee

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"}).rename("tumour")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)

one = UnlessClassifier().fit(X_train, y_train)
committee = UnlessCommittee(size=40, n_jobs=1).fit(X_train, y_train)
print(f"On {len(X_test)} records that were held back:\n")
for name, model in {"one list": one, "40 lists": committee}.items():
    probabilities = model.predict_proba(X_test)
    loss = log_loss(y_test, probabilities, labels=model.classes_)
    print(f"  {name}: accuracy {model.score(X_test, y_test):.3f}, log-loss {loss:.3f}")

print("\nEach list can be read. The first:\n")
print(committee.lists_[0])

print("\nWhy does the committee say so of one record? The strongest votes; the points add up:\n")
tally = committee.explain(X_test.iloc[3])
print(tally.text(most=4))

print("\nWhat would change it? (Verified by the committee, though not proven to be the nearest.)\n")
for change in list(committee.counterfactuals(X_test.iloc[3]))[:2]:
    print(f"  {change}")

print(f"\nOne list that imitates it, and agrees on {committee.agreement_:.1%} of the training records:\n")
print(committee.program_)
