"""Models and who learns them: the learners, the file of a model, and the three classifiers of scikit-learn's manner."""
