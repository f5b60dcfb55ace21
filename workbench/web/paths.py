"""A file's path in an address: any name there is, line ends and bytes that are no text included.

Written as in the database (`models.PathField`): such a byte as `\\xNN`, a backslash as two.
"""

from django.urls import register_converter

from workbench.web.models import PathField

_field = PathField()


class FilePath:
    regex = r"(?s:.+)"

    def to_python(self, value: str) -> str:
        return str(_field.from_db_value(value))

    def to_url(self, value: str) -> str:
        return str(_field.get_prep_value(value))


def register() -> None:
    """Makes `<file:path>` known to the addresses."""
    register_converter(FilePath, "file")
