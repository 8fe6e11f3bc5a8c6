# What people and CI call; CMake does the work. Folders: build (g++), build-clang, build-asan, build-coverage.

MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)
SECONDS ?= 60
RELEASE ?= trixie
RUNS ?=
SHARED ?= ../shared
QUESTION ?= may I charge for copies
TEXTS ?= /usr/share/common-licenses
COUNT ?= 500
SEED ?=
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

# What is compiled with clang++ and LLVM's library for C++ in every run, beside the ill-formed models: the library with the
# kernels of two sets, and the tests of these files. `make test-libcxx` and `make test-all` compile the others.
clang_part = (base|dsl|runtime/chat)/.*|models/(bert|gpt2|llama)\.cpp
arm_part = backends/simd/(attention|gather|norm|product|reduce|softmax|turn)\.cpp|models/(bert|gpt2)\.cpp|streams/stream\.cpp

# Ill-formed models are laid out by hand: the faulty expression stands on one line.
sources = $(shell git ls-files '*.hpp' '*.cpp' ':!tests/compile_fail')

.PHONY: demo test test-gcc test-clang test-shared test-arm test-arm-part test-power test-windows test-wasm test-macos test-libcxx test-debian test-all test-random coverage fuzz bench web test-page docs format format-check tidy clean

demo:
	cmake/install_dependencies.sh build demo
	cmake --preset release -D FOVEA_TESTS=OFF
	cmake --build build -j $(JOBS) --target semantic_search
	python3 cmake/fetch_minilm.py build/models/minilm
	build/examples/semantic_search "$(QUESTION)" $(TEXTS)

test: test-clang test-gcc

test-gcc:
	cmake/install_dependencies.sh build test
	cmake --preset release -D FOVEA_TESTS=ON
	cmake --build build -j $(JOBS)
	ctest --preset release
	@cat build/tests/instruction_sets.txt

test-clang:
	cmake/install_dependencies.sh build test libcxx
	cmake --preset libcxx -B build-clang-part -D FOVEA_TEST_FILES='$(clang_part)' -D FOVEA_KERNEL_SETS=avx2 -D FOVEA_PROGRAMS=OFF
	cmake --build build-clang-part -j $(JOBS)
	ctest --test-dir build-clang-part --output-on-failure --no-tests=error

test-shared:
	cmake/install_dependencies.sh build test demo
	python3 cmake/fetch_minilm.py build/models/minilm
	cmake --preset release -D FOVEA_TESTS=ON -D FOVEA_SHARED=$(SHARED)
	cmake --build build -j $(JOBS)
	ctest --preset shared
	@cat build/tests/instruction_sets.txt

test-all:
	cmake/install_dependencies.sh build test editor browser fleet
	for preset in release clang asan; do \
	  cmake --preset $$preset -D FOVEA_TESTS=ON && cmake --build --preset $$preset -j $(JOBS) || exit 1; \
	done
	ctest --preset asan
	ctest --preset clang
	ctest --preset full
	@$(MAKE) coverage
	@cat build/tests/instruction_sets.txt

# Tests for 64-bit ARM, compiled here and run under emulation.
test-arm:
	cmake/install_dependencies.sh build test arm
	cmake --preset aarch64
	cmake --build build-aarch64 -j $(JOBS)
	ctest --preset aarch64
	QEMU_CPU=cortex-a53 ctest --preset aarch64 -R '^backends/simd\.'
	FOVEA_ISA=neon64 QEMU_CPU=neoverse-n1 qemu-aarch64 build-aarch64/tests/test_backends_simd 'a product of*'
	@cat build-aarch64/tests/instruction_sets.txt

# A part of them that each run of CI has room for: less is optimised, and `portable` is left to the tests on x86-64.
test-arm-part:
	cmake/install_dependencies.sh build test arm
	cmake --preset aarch64 -B build-arm-part -D FOVEA_TEST_FILES='$(arm_part)' -D FOVEA_KERNEL_SETS=neon64 -D FOVEA_KERNEL_OPTIMISATION=-O1 -D CMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG'
	cmake --build build-arm-part -j $(JOBS)
	ctest --test-dir build-arm-part --output-on-failure --no-tests=error

# Tests of the set `portable` on a processor that has no other.
test-power:
	cmake/install_dependencies.sh build test power
	cmake --preset ppc64le
	cmake --build build-ppc64le -j $(JOBS)
	ctest --preset ppc64le
	@cat build-ppc64le/tests/instruction_sets.txt

# Tests for 64-bit Windows, compiled here by MinGW-w64 and run by Wine.
test-windows:
	cmake/install_dependencies.sh build test windows
	cmake/cross_packages.sh windows build-windows/packages
	cmake --preset windows
	cmake --build build-windows -j $(JOBS)
	WINEDEBUG=-all ctest --preset windows
	@cat build-windows/tests/instruction_sets.txt

# Tests for WebAssembly, compiled here and run by Node.
test-wasm:
	cmake/install_dependencies.sh build test wasm
	cmake/cross_packages.sh wasm build-wasm/packages
	cmake --preset wasm
	cmake --build build-wasm -j $(JOBS)
	ctest --preset wasm
	cmake --preset wasm -B build-wasm-plain -D FOVEA_SIMD128=OFF -D FOVEA_TEST_FILES='(backends/.*|web/.*)'
	cmake --build build-wasm-plain -j $(JOBS)
	ctest --test-dir build-wasm-plain --output-on-failure --no-tests=error
	cmake --preset wasm -B build-wasm-threads -D FOVEA_WASM_THREADS=ON -D FOVEA_TEST_FILES='web/.*'
	cmake --build build-wasm-threads -j $(JOBS)
	ctest --test-dir build-wasm-threads --output-on-failure --no-tests=error
	@cat build-wasm/tests/instruction_sets.txt

# Tests and a program for macOS, compiled and linked here for both of its processors; nothing here runs them.
test-macos:
	cmake/install_dependencies.sh build test macos
	cmake/cross_packages.sh macos build-macos/packages
	for processor in aarch64 x86_64; do \
	  folder=build-macos/$$processor; \
	  cmake --preset macos -B $$folder -D FOVEA_MACOS_PROCESSOR=$$processor && cmake --build $$folder -j $(JOBS) && \
	  ctest --test-dir $$folder --output-on-failure --no-tests=error -R '^(leak|macos)/' || exit 1; \
	done

# Tests with LLVM's library for C++ in place of GNU's.
test-libcxx:
	cmake/install_dependencies.sh build test libcxx
	cmake --preset libcxx
	cmake --build build-libcxx -j $(JOBS)
	ctest --preset libcxx
	@cat build-libcxx/tests/instruction_sets.txt

# The two commands of the README in a bare system of another Debian, with its compiler and its libraries.
test-debian:
	cmake/install_dependencies.sh debian
	tests/debian/in_release.sh $(RELEASE) build-$(RELEASE) demo test

# The page of examples/web, with MiniLM beside it: a folder that any server of files may offer.
web:
	cmake/install_dependencies.sh build wasm demo
	cmake/cross_packages.sh wasm build-web/packages
	cmake -S examples/web -B build-web -D CMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/toolchains/wasm.cmake -D FOVEA_CROSS_PACKAGES=$(CURDIR)/build-web/packages -D FOVEA_WASM_THREADS=ON -D CMAKE_BUILD_TYPE=MinSizeRel
	cmake --build build-web -j $(JOBS)
	python3 cmake/fetch_minilm.py build-web/page
	@echo "Look at http://localhost:8000 while this runs: python3 examples/web/serve.py build-web/page"

# The page in Chromium; with the shared data on the published weights of both models.
test-page: web
	cmake/install_dependencies.sh browser
	python3 -m venv build-web/tools
	build-web/tools/bin/pip install -q -r tests/programs/requirements.txt
	build-web/tools/bin/python -B tests/web/page_test.py build-web/page build-web/pictures $(wildcard $(SHARED)/data/silero-vad)

# Which lines and branches of base/, dsl/, weights/ and runtime/ the tests reach; pages of the source in build-coverage/coverage/html.
coverage:
	cmake/install_dependencies.sh build test coverage
	cmake --preset coverage
	cmake --build build-coverage -j $(JOBS)
	tests/coverage/report.py --jobs $(JOBS) build-coverage

# COUNT models drawn by chance from SEED on, compiled, run and, where one fails, made smaller.
test-random:
	cmake/install_dependencies.sh build test
	cmake --preset release -D FOVEA_TESTS=ON
	cmake --build build -j $(JOBS) --target test_drawn
	tests/drawn/run.py --jobs $(JOBS) --count $(COUNT) $(if $(SEED),--first $(SEED)) build

# The pages of docs/ as a site in build/site, for a browser; what they show is compiled first.
docs:
	cmake/install_dependencies.sh build docs
	python3 tests/docs/check.py --compiler g++ --include include README.md docs
	test -d build/docs-tools || python3 -m venv build/docs-tools
	build/docs-tools/bin/pip install -q -r docs/site/requirements.txt
	NO_MKDOCS_2_WARNING=1 build/docs-tools/bin/mkdocs build -q
	@echo build/site/index.html

# Each reader for so many SECONDS or, where RUNS are given, for so many executions; what a run learns stays in build-fuzz, what it finds in build-fuzz/found.
fuzz:
	cmake/install_dependencies.sh build test fuzz
	cmake --preset fuzz
	cmake --build build-fuzz -j $(JOBS) --target fuzz
	tests/fuzz/run.sh build-fuzz $(if $(RUNS),runs $(RUNS),seconds $(SECONDS)) $(TARGETS)

bench:
	cmake/install_dependencies.sh build bench
	cmake --preset release -D FOVEA_TESTS=OFF
	cmake --build build -j $(JOBS) --target bench
	python3 cmake/fetch_minilm.py build/models/minilm
	python3 -m venv build/peers
	build/peers/bin/pip install --quiet -r bench/peers/requirements.txt
	build/peers/bin/python bench/run.py --build build

format:
	cmake/install_dependencies.sh develop
	clang-format-14 -i $(sources)

format-check:
	cmake/install_dependencies.sh develop
	clang-format-14 --dry-run -Werror $(sources)

tidy:
	cmake/install_dependencies.sh build test develop
	cmake --preset clang
	run-clang-tidy-19 -quiet -j $(JOBS) -p build-clang '$(CURDIR)/(base|weights|runtime|mpi|backends|examples)/'

clean:
	rm -rf build build-*
