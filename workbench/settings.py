"""Django's settings. What a person may change is read from the environment here, once; everything else is fixed.

WORKBENCH_DATA     the data folder (`--data` of every command sets it)
WORKBENCH_ORIGINS  exact origins behind a TLS proxy, e.g. `https://wb.example.org`, separated by commas
"""

import hashlib
import os
import secrets
from pathlib import Path
from urllib.parse import urlsplit

from django.utils.csp import CSP

from workbench.web import datadir

ROOT = Path(__file__).resolve().parent.parent
DATA = datadir.folder()
SAMPLES = DATA.parent / "workbench-samples"
"""copies of the sample project, beside the data folder: an agent may write here, never in DATA"""

_key_file = DATA / "secret_key"
SECRET_KEY = _key_file.read_text().strip() if _key_file.is_file() else secrets.token_urlsafe(50)
"""made by `web/datadir.py` before anything is signed with it; the random one serves commands that need no data"""

DEBUG = False
ORIGINS = tuple(o.strip().rstrip("/") for o in os.environ.get("WORKBENCH_ORIGINS", "").split(",") if o.strip())
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *(urlsplit(o).hostname or "" for o in ORIGINS)]
CSRF_TRUSTED_ORIGINS = list(ORIGINS)
BEHIND_TLS = bool(ORIGINS) and all(o.startswith("https://") for o in ORIGINS)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "workbench.web",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "workbench.urls"
ASGI_APPLICATION = "workbench.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "workbench.sqlite3",
        # IMMEDIATE: a transaction that reads and then writes takes the write lock first, so it waits instead of failing
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA mmap_size=134217728;"
            "PRAGMA journal_size_limit=27103364;PRAGMA cache_size=2000",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# Cookies know no port: the name keeps two workbenches on one host apart.
_instance = hashlib.sha256(str(DATA).encode()).hexdigest()[:8]
SESSION_COOKIE_NAME = f"workbench_session_{_instance}"
SESSION_COOKIE_AGE = 30 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_NAME = f"workbench_csrf_{_instance}"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_SECURE = BEHIND_TLS
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "manifest-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "base-uri": [CSP.NONE],
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600

SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # subdomains of a host that is not ours are their owner's affair
    "security.W008",  # the proxy in front sends plain HTTP on to HTTPS
    "security.W021",  # so is the browsers' preload list
]

DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
"""of a request body; `web/limits.py` answers 413 above it"""
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]

STATIC_URL = "/static/"
STATICFILES_DIRS = [ROOT / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
TIME_ZONE = "UTC"
USE_TZ = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "workbench.web.logs.OneLine", "format": "{levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "workbench": {"level": os.environ.get("WORKBENCH_LOG", "WARNING").upper()},
        # a 4xx is the client's affair and would print the path, which may hold a login token
        "django.request": {"level": "ERROR"},
        "django.security.csrf": {"level": "ERROR"},
    },
}
