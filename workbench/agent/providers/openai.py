"""OpenAI, and any endpoint that speaks its chat completions: Ollama, vLLM, llama.cpp, LM Studio, gateways …"""

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from workbench.agent.messages import Provider, ProviderError
from workbench.agent.providers import Endpoint
from workbench.agent.wire import Wire

VENDOR = "https://api.openai.com/v1"
STRICT = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
"""a stream that ends without saying why has broken off"""


def make(model: str, endpoint: Endpoint) -> Provider:
    if not model:
        raise ProviderError("An OpenAI-compatible endpoint needs a model name: openai:<model>.", retryable=False)
    own = bool(endpoint.base_url) and endpoint.base_url.rstrip("/") != VENDOR
    if not own and not endpoint.key:
        raise ProviderError("OpenAI needs a key: set one on the model page or in OPENAI_API_KEY.", retryable=False)
    client = AsyncOpenAI(
        base_url=endpoint.base_url or VENDOR,
        api_key=endpoint.key or "none",
        max_retries=0,
        timeout=httpx2.Timeout(endpoint.silence_s, connect=endpoint.connect_s),
    )
    provider = (
        OpenAICompatibleProvider("openai-compatible", openai_client=client)
        if own
        else OpenAIProvider(openai_client=client)
    )
    chat = OpenAIChatModel(model, provider=provider, profile=STRICT)
    images = chat.profile.get("supports_image_input", True) if endpoint.images is None else endpoint.images
    return Wire(chat, endpoint.base_url or VENDOR, client.close, endpoint.key, takes_images=images)
