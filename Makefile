# make demo: set up, measure a layer, race a ResNet, write the HTML report.   make test: set up and run the tests.
# make test-slow: the tests that take longer.   make test-browser: those of the HTML report.
# make docs: the documentation as a site, build-output/docs/index.html.
# make vendor: build the libraries of the HTML report again, from pinned npm packages.
# make test-keras: the tests of Keras on the tensorflow backend, which it installs; make test has the torch backend.
# make test-shared: four runs on one cache while it is listed, reported and deleted, 50 times.
# make models: an environment (.venv-models) with all that the models need, torchvision included.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MODELS := .venv-models
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-slow test-browser test-keras test-shared test-slurm test-models models lint bench docs vendor clean

demo: $(VENV)/.installed
	$(BIN)/turnkey examples/cli/scripts/hello_world.py
	$(BIN)/turnkey race examples/cli/networks/resnet18.py --runtime ort torch-eager --precision fp32 fp16
	$(BIN)/turnkey cache report -o $(CURDIR)/demo.html

test: $(VENV)/.installed-tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(VENV)/.installed-tests
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

test-browser: $(VENV)/.installed-browser docs
	.ci/browser-install
	$(BIN)/python -m pytest -m browser tests/test_browser.py tests/test_site.py

test-keras: $(VENV)/.installed-keras
	KERAS_BACKEND=tensorflow $(BIN)/python -m pytest tests/test_keras.py -m 'slow or not slow'
	$(BIN)/python -m pytest tests/test_workarounds.py -m slow -k tf2onnx

test-slurm: $(VENV)/.installed-tests
	$(BIN)/python -m pytest tests/test_slurm.py

test-shared: $(VENV)/.installed-tests
	rm -f build-output/locks.txt && mkdir -p build-output
	TURNKEY_LOCK_LOG=$(CURDIR)/build-output/locks.txt $(BIN)/python benchmarks/shared_cache.py 50

models: $(MODELS)/.installed

test-models: $(MODELS)/.installed
	$(MODELS)/bin/python -m pytest corpora/tests

lint: $(VENV)/.installed-lint
	$(BIN)/ruff format --check src tests examples benchmarks corpora models docs
	$(BIN)/ruff check src tests examples benchmarks corpora models docs
	$(BIN)/mypy
	$(BIN)/lint-imports
	.ci/doors --check

bench: $(VENV)/.installed-tests
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/fidelity.py
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/verdicts.py

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in $(CURDIR)/build-output/docs/index.html"

vendor:
	.ci/vendor

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e .
	touch $@

$(VENV)/.installed-tests: $(VENV)/.installed
	$(PIP) -e '.[test,bench]'
	touch $@

$(VENV)/.installed-browser: $(VENV)/.installed-tests
	$(PIP) -e '.[browser]'
	touch $@

$(VENV)/.installed-keras: $(VENV)/.installed-tests
	$(PIP) tensorflow-cpu tf2onnx
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(PIP) -e '.[docs]'
	touch $@

$(VENV)/.installed-lint: $(VENV)/.installed
	$(PIP) -e '.[lint]'
	touch $@

$(MODELS)/.installed: models/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(MODELS)
	$(MODELS)/bin/python -m pip install --quiet --disable-pip-version-check \
		-r models/requirements.txt -e '.[test]'
	touch $@

clean:
	rm -rf $(VENV) $(MODELS) .pytest_cache .mypy_cache .ruff_cache
