"""The app comes with its checks."""

from django.apps import apps
from django.core.checks import registry

from workbench.web import checks


def test_the_checks_are_registered() -> None:
    assert apps.get_app_config("web").name == "workbench.web"
    assert {checks.kinds_and_templates, checks.tools_and_templates, checks.fallbacks} <= set(
        registry.registry.get_checks()
    )
