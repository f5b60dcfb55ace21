"""Forms that are not a tool's."""

from typing import Any, ClassVar

from django import forms

from workbench.web import vault
from workbench.web.models import ModelEndpoint


class StartForm(forms.Form):
    """A new session."""

    task = forms.CharField(widget=forms.Textarea, error_messages={"required": "Say what the agent should do."})
    workspace = forms.CharField(required=False)
    """id of a workspace, empty for the one `up` was given, or `other` for `folder`"""
    folder = forms.CharField(required=False)
    model = forms.CharField(required=False)
    mode = forms.ChoiceField(choices=[("plan", "plan"), ("ask", "ask"), ("auto", "auto")], required=False)


class EndpointForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in its stubs only
    """Where a model is asked. The key is written, never shown: an empty field keeps the one that is there."""

    key = forms.CharField(required=False, strip=True, widget=forms.PasswordInput(attrs={"autocomplete": "off"}))
    drop_key = forms.BooleanField(required=False)

    class Meta:
        model = ModelEndpoint
        fields: ClassVar[list[str]] = ["name", "kind", "base_url", "model"]

    def clean_base_url(self) -> str:
        url: str = self.cleaned_data["base_url"].strip()
        if url and not url.startswith(("http://", "https://")):
            raise forms.ValidationError("The address starts with http:// or https://.")
        return url

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name.lower() == "demo" or ":" in name:
            raise forms.ValidationError("Choose a name without a colon, and not demo.")
        return name

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        row = super().save(commit=False)
        if self.cleaned_data["key"]:
            row.sealed_key = vault.seal(self.cleaned_data["key"])
        elif self.cleaned_data["drop_key"]:
            row.sealed_key = ""
        if commit:
            row.save()
        return row
