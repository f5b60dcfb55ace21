"""Anthropic, and endpoints that speak its messages API."""

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.providers.anthropic import AnthropicProvider

from workbench.agent.messages import Provider, ProviderError
from workbench.agent.providers import Endpoint
from workbench.agent.wire import Wire

VENDOR = "https://api.anthropic.com"
MOST_TOKENS = 32_000
"""of one answer; the vendor wants a number"""


def make(model: str, endpoint: Endpoint) -> Provider:
    if not model:
        raise ProviderError("Anthropic needs a model name: anthropic:<model>.", retryable=False)
    if not endpoint.key:
        raise ProviderError(
            "Anthropic needs a key: set one on the model page or in ANTHROPIC_API_KEY.", retryable=False
        )
    client = AsyncAnthropic(
        base_url=endpoint.base_url or VENDOR,
        api_key=endpoint.key,
        max_retries=0,
        timeout=httpx2.Timeout(endpoint.silence_s, connect=endpoint.connect_s),
    )
    chat = AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))
    settings = AnthropicModelSettings(
        max_tokens=MOST_TOKENS,
        anthropic_cache_instructions=True,
        anthropic_cache_tool_definitions=True,
        anthropic_cache_messages=True,
    )
    images = True if endpoint.images is None else endpoint.images
    return Wire(chat, endpoint.base_url or VENDOR, client.close, endpoint.key, settings, images)
