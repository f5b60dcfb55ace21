"""The one Django app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "workbench.web"
    label = "web"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from workbench.web import checks  # noqa: PLC0415 - registers itself; the apps must be there first

        assert checks
