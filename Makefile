# Everything from a fresh clone with python3 and make. A C compiler makes it fast.
PYTHON ?= python3
BIN := .venv/bin
SOURCES := pyproject.toml setup.py $(wildcard src/unless/kernels/*.p*)

.PHONY: demo quick test lint types imports unit pages torture sanitize bench bench-quick bench-compare stale tables pictures docs dist clean

demo: .venv/demo.stamp ## learn from a bundled table, print the rules and the reason for one decision
	@$(BIN)/unless demo

# One or two files of each room: definitions, recorded programs, round trips, model files, one command.
QUICK := tests/unit/test_[!brt]*.py tests/unit/test_rule.py tests/kernels tests/explanation tests/diff tests/score \
	tests/reference/test_recorded.py tests/learn/test_fold.py tests/learn/test_unless_learner.py tests/read/test_table.py tests/read/test_messy.py \
	tests/export/test_rules.py tests/export/test_round_trip.py tests/export/test_json.py tests/estimators/test_model_files.py tests/cli/test_fit.py

quick: lint types imports ## what a change needs before a commit, in under a minute on two idle cores
	$(BIN)/python -m pytest -n auto --dist worksteal -q $(QUICK)

test: lint types imports unit ## everything that must pass; UNLESS_TESTS=long draws five times as many examples

lint: .venv/test.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/test.stamp
	$(BIN)/mypy

imports: .venv/test.stamp
	$(BIN)/lint-imports --no-cache

unit: .venv/test.stamp
	$(BIN)/python -m pytest -n auto --dist worksteal --durations 20 --durations-min 5

pages: .venv/test.stamp ## run the examples of every page in a fresh environment that has what the pages install
	$(BIN)/python -m tests.docs.environments

torture: .venv/test.stamp ## every search as far as it goes (20 minutes and more), and write docs/reliability.md
	$(BIN)/python -m tests.torture

sanitize: .venv/test.stamp ## build the kernels with ASan and UBSan, and fuzz them
	$(BIN)/python -m tests.torture sanitize

bench: .venv/bench.stamp ## measure, and write docs/benchmarks.md and docs/accuracy.md
	$(BIN)/python -m benchmarks --full
	$(BIN)/python -m benchmarks.history
	$(BIN)/python -m benchmarks.accuracy

bench-quick: .venv/bench.stamp ## a few minutes of the same, kept in benchmarks/history; UNLESS_CLOCK=cpu on a busy machine
	$(BIN)/python -m benchmarks --quick
	$(BIN)/python -m benchmarks.history

bench-compare: .venv/bench.stamp ## OLD=… NEW=…: two runs of benchmarks/history beside each other; without names the last two
	$(BIN)/python -m benchmarks.compare $(OLD) $(NEW)

stale: .venv/test.stamp ## figures that were measured before the code they speak of was changed; benchmarks/measured.toml declares both
	@$(BIN)/python -m benchmarks.stale

tables: .venv/bench.stamp ## the paper's tables beside ours (hours; goes on where it was stopped), and write docs/paper.md
	$(BIN)/python -m benchmarks.tables

pictures: .venv/test.stamp ## take those of the documents, with Chromium
	$(BIN)/python docs/images/take.py
	$(BIN)/python docs/images/steps.py

docs: .venv/docs.stamp ## the site, in build/site; broken links and warnings fail
	rm -rf build/site
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs build/site
	@echo open build/site/index.html

dist: .venv/test.stamp ## build the sdist and wheels, and try each in a fresh environment; PYTHONS names the interpreters
	$(BIN)/python -m tests.dist

clean:
	rm -rf .venv build dist src/*.egg-info src/unless/kernels/*.so src/unless/kernels/*.c

# Kernels are compiled once, in the source folder; every installation takes them from there.
install = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.venv/build.stamp:
	@echo "making .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(install) --upgrade 'setuptools>=77' 'Cython>=3.1'
	@touch $@

.venv/kernels.stamp: $(SOURCES) | .venv/build.stamp
	@echo "compiling the kernels (a minute of CPU)"
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

# The longer lists of packages contain the shorter ones.
.venv/demo.stamp: .venv/kernels.stamp
	@echo "installing packages for the demo"
	@$(install) --no-build-isolation --editable '.[cli,report]'
	@touch $@

.venv/test.stamp: .venv/kernels.stamp
	@echo "installing packages for the tests (1.5 GB, most of it Spark)"
	@$(install) --no-build-isolation --editable '.[test]'
	@touch $@ .venv/demo.stamp .venv/docs.stamp

.venv/docs.stamp: .venv/kernels.stamp
	@echo "installing packages for the site"
	@$(install) --no-build-isolation --editable '.[all,docs]'
	@touch $@ .venv/demo.stamp

.venv/bench.stamp: .venv/kernels.stamp
	@echo "installing packages for the benchmarks"
	@$(install) --no-build-isolation --editable '.[all,bench]'
	@touch $@ .venv/demo.stamp
