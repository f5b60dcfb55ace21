#!/usr/bin/env python
"""Runs the commands of the workbench: `uv run manage.py up`."""

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from workbench.web import datadir


def take_data(argv: list[str]) -> tuple[list[str], str]:
    """`argv` without `--data DIR`, and the folder: it must be known before the settings are read. For every command."""
    left: list[str] = []
    found = ""
    words = iter(argv)
    for word in words:
        if word == "--":
            left += [word, *words]
        elif word == "--data":
            found = next(words, "")
            if not found or found.startswith("-"):
                sys.exit("workbench: --data needs a folder: --data DIR")
        elif word.startswith("--data="):
            found = word.removeprefix("--data=")
        else:
            left.append(word)
    return left, found


def main(argv: list[str]) -> None:
    argv, data = take_data(argv)
    if data:
        os.environ["WORKBENCH_DATA"] = str(Path(data).expanduser().absolute())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    try:
        datadir.prepare(datadir.folder())
    except datadir.Unusable as e:
        sys.exit(f"workbench: {e}")
    execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv)
