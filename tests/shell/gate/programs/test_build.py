"""Builds, tests, linters."""

from .. import allowed, stopped, told

ASKS = """
make deploy
make clean
make install
make -f /tmp/x.mk
make -C /tmp
make --eval='x:;rm' x
make SHELL=/tmp/x test
make 'X=$(shell rm y)' t
npm run deploy
pytest -p evil
pytest -c /tmp/x.ini
pytest --rootdir=/tmp
pytest --basetemp=/home/dev
pytest -o python_files=x
pytest --pdb
pytest /tmp/evil
pytest $x
go vet -vettool=./p ./...
go test -exec ./p
go build -toolexec ./p
go build -ldflags '-X a=b'
go build -o /usr/bin/x
go run github.com/x/y@latest
go env -w GOFLAGS=x
go get x
cargo test --config target.x.runner=./p
cargo install x
cargo publish
cargo frob
mvn exec:exec -Dexec.executable=rm
mvn deploy
gradle -I /tmp/x test
./gradlew publish
eslint --rulesdir /tmp/x src
prettier --plugin=/tmp/x.js --check .
tsc --outDir /tmp/x
webpack --output-path=/tmp
jest --config '{"globalSetup":"/tmp/x"}'
mypy --config-file /tmp/x
gcc -wrapper /tmp/x,-x a.c
gcc -fplugin=./x.so a.c
gcc -B/tmp a.c
gcc -Wl,-Map=../x a.c
gcc -o /usr/bin/x a.c
gcc @args
gcc -include /etc/shadow a.c
cmake -P /tmp/x.cmake
cmake -E rm x
cmake ../other
ctest --build-and-test ../x y
rails db:drop
rails runner x
rake db:drop
php artisan migrate:reset
bundle exec rails db:drop
tox exec -- rm x
just --shell ./x test
task -t /tmp/x.yml
stack exec rm x
lerna exec rm
mix run -e x
ng deploy
nyc rm -rf x
hyperfine 'rm x'
ghc -e x
dotnet build -p:PostBuildEvent=rm
dotnet nuget push x
swift build -Xlinker x
pre-commit install
husky init
nix run x
docker build .
coverage run -m http.server
protoc --plugin=./x a.proto
fastlane beta
uv run --with evil pytest
"""


def test_code_and_settings_from_elsewhere_ask() -> None:
    assert allowed(ASKS) == []


RUNS = """
pytest
pytest -k 'a and b' tests/test_a.py::test_b -x --tb=short
pytest --cov=src --cov-report=term-missing -n auto
pytest -p no:cacheprovider -W ignore
pytest --collect-only -q | tail
tox -e py311
nox -s tests
ruff check --fix src
ruff format
black --check .
mypy --strict src
eslint . --ext .ts,.tsx --fix
prettier --write 'src/**/*.ts'
tsc -p . --noEmit
jest --coverage -t foo
vitest run src/a.test.ts
mocha tests/*.js
webpack --mode production
vite build --outDir dist
next build
make
make -j8 lint test V=1
make -C sub test
make -n test
cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug
cmake --build build -j
ctest --test-dir build --output-on-failure
ninja -C build
meson setup build
gcc -Wall -O2 -Iinclude -o a a.c
g++ -std=c++20 -c a.cpp
javac -d out A.java
cargo build --release
cargo test foo -- --nocapture
cargo clippy --all-targets -- -D warnings
cargo fmt --check
cargo run --bin x -- --help
go test ./... -run TestX -count=1 -race
go build ./...
go vet ./...
go run .
go mod tidy
gofmt -l .
golangci-lint run
mvn -q -o test -Dtest=FooTest
./gradlew test --tests Foo --offline
dotnet test --no-restore
swift test
bundle exec rspec spec/models
rspec -e 'is nice'
rake spec
rails test
mix test
zig build test
shellcheck scripts/*.sh
yamllint .github
markdownlint docs
pre-commit run -a
coverage run -m pytest && coverage report
hyperfine 'ls' 'cat a'
npx playwright test
buf lint
terraform validate
nix eval .#x
"""


def test_the_workspaces_own_builds_and_tests_run() -> None:
    assert stopped(RUNS) == []


def test_they_count_as_running_its_code() -> None:
    assert told("pytest") == {"write_ws ."}
    assert "write_out /tmp" in told("cd /tmp && pytest")
