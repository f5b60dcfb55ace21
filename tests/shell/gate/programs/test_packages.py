"""Package managers and runners of scripts."""

from .. import allowed, stopped, told

ASKS = """
npm install
npm i -g x
npm ci
npm update
npm publish
npm unpublish x --force
npm version patch
npm run deploy:prod
npm run db:reset
npm run clean
npm run $x
npm test --script-shell=/tmp/x
npm --prefix /tmp test
npm exec cowsay
npm exec -c 'git push'
npm frob
npm config set prefix ~/.x
npm
npx create-react-app x
npx --yes x
npx cowsay
npx -p evil eslint src
npx eslint@0.0.1 src
npx prisma db push --accept-data-loss
npx $x
yarn
yarn add x
yarn deploy
yarn dlx x
pnpm i
pnpm dlx x
pnpm run release
bunx x
bun install
pip install x
pip install -r requirements.txt
pip install --target /usr/lib/x y
pip install git+https://x.example/y
pip install --index-url https://x.example y
pip uninstall x
pip list --log ../x
uvx x
pipx run x
uv add x
uv sync
uv pip install x
uv run --with evil pytest
uv run rm x
poetry add x
poetry publish
poetry run rm x
gem install x
bundle install
composer install
brew install x
apt install x
apt-get -y install x
dpkg -i x.deb
twine upload dist/*
nvm use 20
"""


def test_fetching_and_publishing_ask() -> None:
    assert allowed(ASKS) == []


RUNS = """
npm test
npm t
npm start
npm run test:unit -- --watch=false
npm run lint -- --fix
npm run build --if-present
npm run dev
npm ls --depth=0
npm -v
pnpm -r test
pnpm --filter web test
pnpm exec tsc
yarn test
yarn tsc --noEmit
bun run build
bun test
npx tsc --noEmit
npx --no-install eslint src
npx jest src/a.test.ts
uv run pytest -q
uv run python a.py
poetry run pytest
pipenv run pytest
pip list
pip show x
pip freeze
pip install -e . --no-deps --no-index
uv pip list
uv venv
bundle list
gem list
brew list
apt list --installed
dpkg -l
rpm -qa
"""


def test_scripts_of_the_project_and_lists_run() -> None:
    assert stopped(RUNS) == []


def test_a_runner_runs_what_the_tables_know() -> None:
    assert told("npx prettier --write src") == {"write_ws ."}
    assert told("npx rimraf x") >= {"net_read", "opaque"}
    assert told("npm exec -c 'rm x'") >= {"delete x"}
