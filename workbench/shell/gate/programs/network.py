"""What leaves the machine: whether it only reads there or changes something."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.apply import always, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import shown, static, unknown

_LOCAL = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]")
_READING = re.compile(
    r"list|ls|get|describe|show|view|status|info|search|lookup|read|explain|logs?|top|diff|version|config|help|head|tail|history|events|api-resources|api-versions|cluster-info|watch|"
    r"(?:list|get|describe|batch-get|lookup|filter|scan|query|head|search|select|test|check|estimate|preview|view)-[\w-]+|checks|checkout|browse|download|outdated|inspect"
)
_TAKING = re.compile(
    r"(?:^|[-:_ ])(?:rm|rb|delete|del|destroy|remove|drop|reset|purge|prune|flush\w*|flushall|truncate|terminate|unpublish|uninstall|drain|wipe)\b|\b(?:DROP|DELETE|TRUNCATE)\b|accept-data-loss|--force\b",
    re.IGNORECASE,
)
_SECRETS = re.compile(
    r"\bsecrets?\b|get-(?:session|access|login|authorization)-?\w*|get-secret-value|print-access-token|get-password|decrypt|get-parameter|list-access-keys|\btokens?\b|print-identity-token|create-access-key|assume-role"
)
_LOCAL_TOOLS = {
    "terraform": {"fmt", "validate", "version", "console", "graph", "providers"}, "tofu": {"fmt", "validate", "version", "graph"}, "kustomize": {"build", "version"},
    "helm": {"template", "lint", "version"}, "cdktf": {"synth"}, "terragrunt": {"hclfmt"}, "kubectl": {"kustomize", "version-client"},
    "prisma": {"generate", "validate", "format", "version"}, "alembic": {"history", "heads", "show"}, "sqlx": {"--version"}, "drizzle-kit": {"generate", "check"},
}  # fmt: skip


def web(command: Command, spec: Spec, options: Options) -> None:
    """`curl` and `wget`: a method, data or an upload makes it more than reading."""
    method, words = _method(command, options)
    settings(command, spec, options)
    sends = method not in ("", "GET", "HEAD", "OPTIONS") or any(u.role in ("upload", "external") for u in options.used)
    if options.has("-G", "--get") and method == "":
        sends = any(u.role == "external" for u in options.used)
    if not words:
        command.outward(Verb.EXTERNAL if sends else Verb.NET_READ)
    for word in words:
        if sends or (unknown(word) and "?" in word):
            command.send(word)
        else:
            command.net(word)
        named = (
            options.has("-O", "--remote-name")
            if spec.name == "curl"
            else not options.has("-O", "--output-document", "--spider")
        )
        if named:
            command.write(_page(word))
    if spec.name == "wget" and options.value("-O", "--output-document") == "-":
        command.out = None


def _method(command: Command, options: Options) -> tuple[str, list[str]]:
    """The method of `-X`, in all its spellings, and the addresses."""
    method = ""
    todo = list(command.words[1:])
    taken = []
    for at, word in enumerate(todo):
        found = re.fullmatch(r"(?:-[a-zA-Z#]*X|--request=?)(.*)", word)
        if found:
            method = found[1] or (todo[at + 1] if at + 1 < len(todo) else "")
            if not found[1]:
                taken.append(method)
    if method and not static(method):
        method = "?"
    options.unknown = [n for n in options.unknown if n not in ("-X", "--request")]
    for word in taken:
        if word in options.operands:
            options.operands.remove(word)
    return method.upper(), options.operands


def _page(word: str) -> str:
    """The file that a download is called."""
    path = re.sub(r"^[a-z]+://", "", word).split("?")[0]
    return path.rsplit("/", 1)[-1] if "/" in path and not path.endswith("/") else "index.html"


def outside(command: Command, spec: Spec, options: Options) -> None:
    """Programs that reach others in any case; only their version and help do not."""
    words = command.words[1:]
    if words and all(w in ("--version", "-V", "--help", "version") for w in words):
        return
    settings(command, spec, options)
    always(command, spec)
    for word in options.operands:
        command.look(word)


def ping(command: Command, spec: Spec, options: Options) -> None:
    """A name that is looked up leaves the machine, unless it is this one."""
    settings(command, spec, options)
    words = options.operands
    if words and all(_LOCAL.fullmatch(w) for w in words):
        return
    for word in words or [""]:
        command.net(word)


def github(command: Command, spec: Spec, options: Options) -> None:
    """`gh`: what lists or shows reads, everything else changes something."""
    words = [w for w in command.words[1:] if not w.startswith("-")]
    area, verb = (words[0] if words else ""), (words[1] if len(words) > 1 else "")
    if not words or area in ("help", "version", "completion") or command.words[1:] == ["--version"]:
        return
    if (area, verb) == ("auth", "token") or "--show-token" in command.words:
        command.effect(Verb.SECRET, "", "the login token")
        return
    if area == "api":
        changes = any(
            re.fullmatch(r"-[fF].*|--(?:raw-)?field.*|--input.*|(?:-X|--method)=?(?!GET$).*", w) for w in command.words
        )
        given = [command.words[i + 1] for i, w in enumerate(command.words[:-1]) if w in ("-X", "--method")]
        if "graphql" in words or (changes and given != ["GET"]):
            command.outward(Verb.EXTERNAL, "", spec.why)
        else:
            command.outward(Verb.NET_READ, "", "reads at the forge")
        return
    reads = _READING.fullmatch(verb) or (area in ("status", "search", "browse") and static(area))
    if reads and verb != "checkout":
        command.outward(Verb.NET_READ, "", "reads at the forge")
    else:
        always(command, spec)
    del options


def cloud(command: Command, spec: Spec, options: Options) -> None:
    """Clouds and clusters: going by the verb."""
    del options
    words = [w for w in command.words[1:] if not w.startswith("-")]
    if command.words[1:] in (["--version"], ["version", "--client"]) or words[:1] in (
        ["version"],
        ["help"],
        ["completion"],
    ):
        return
    if words and words[0] in _LOCAL_TOOLS.get(spec.name, ()):
        command.project("works on files of the workspace")
        return
    text = " ".join(words)
    if _SECRETS.search(text):
        command.effect(Verb.SECRET, "", "credentials of the service")
    verb = (
        words[0]
        if spec.name in ("kubectl", "oc", "k", "helm", "terraform", "tofu", "stern", "kind", "minikube", "k3d")
        else _verb(words)
    )
    known = bool(words) and all(static(w) for w in words[:3])
    reads = (
        known
        and _READING.fullmatch(verb or "") is not None
        and "configure" not in words
        and not ("config" in words and "set" in text)
    )
    if reads and not _TAKING.search(text):
        command.outward(Verb.NET_READ, "", "asks the service")
    else:
        command.outward(Verb.EXTERNAL, "", spec.why)
        if not known:
            command.opaque("what it asks the service to do")
        if _TAKING.search(text):
            command.effect(Verb.DELETE, "", "takes something away there")


def _verb(words: list[str]) -> str:
    """The word that says what is done: for `aws` the second, for the others the last of the leading ones."""
    lead = [w for w in words if re.fullmatch(r"[a-z][a-z0-9-]*", w)]
    return next((w for w in lead[1:] if _READING.fullmatch(w)), lead[1] if len(lead) > 1 else "")


def container(command: Command, spec: Spec, options: Options) -> None:
    """Containers are run by a daemon outside the sandbox, often with the rights of the machine."""
    del options
    words = command.words[1:]
    lead = [w for w in words if not w.startswith("-")][:3]
    if lead[:1] in (
        ["container"],
        ["image"],
        ["volume"],
        ["network"],
        ["system"],
        ["builder"],
        ["buildx"],
        ["compose"],
    ):
        area, lead = lead[0], lead[1:]
    else:
        area = ""
    verb = lead[0] if lead else ""
    if words in (["--version"], ["version"], ["-v"], ["info"], ["compose", "version"]):
        return
    if re.search(
        r"(?:-v|--volume|--mount)[= ]?\S*?(?:source=|src=|^|[ =])/(?::|,|$)|--privileged|docker\.sock|--pid[= ]host",
        " ".join(words),
    ):
        danger = re.search(r"(?:-v|--volume)[= ]?/:|(?:source|src)=/(?:,|$)", " ".join(words))
        command.effect(Verb.PRIV, "", "gives a container the machine", "host_root" if danger and verb == "run" else "")
    match verb:
        case (
            "ps"
            | "images"
            | "ls"
            | "logs"
            | "inspect"
            | "top"
            | "stats"
            | "port"
            | "history"
            | "diff"
            | "events"
            | "version"
            | "info"
            | "df"
            | "list"
            | "config"
        ):
            command.effect(Verb.NET_READ, "", "asks a daemon outside the sandbox")
        case (
            "push"
            | "login"
            | "logout"
            | "commit"
            | "tag"
            | "import"
            | "load"
            | "secret"
            | "service"
            | "stack"
            | "swarm"
            | "node"
            | "context"
            | "trust"
            | "plugin"
            | "manifest"
        ):
            command.outward(Verb.EXTERNAL, "", "publishes or changes what others use")
        case "kill" | "stop" | "restart" | "pause" | "down":
            command.effect(Verb.KILL, shown(" ".join(lead[1:])), "stops containers")
            command.outward(Verb.EXTERNAL, "", "acts outside the sandbox")
        case "rm" | "rmi" | "prune" | "remove":
            command.effect(Verb.DELETE, shown(" ".join(lead[1:])), "containers, images or volumes")
            command.outward(Verb.EXTERNAL, "", "acts outside the sandbox")
        case "build" | "bake":
            command.effect(Verb.WRITE_OUT, "", "images outside the workspace")
            command.outward(Verb.NET_READ, "", "fetches what the build needs")
            command.opaque("what the build does")
        case (
            "run"
            | "exec"
            | "start"
            | "create"
            | "up"
            | "cp"
            | "pull"
            | "attach"
            | "save"
            | "export"
            | "update"
            | "wait"
            | "rename"
        ):
            command.opaque("what runs in the container")
            command.outward(Verb.NET_READ, "", "acts outside the sandbox")
        case _:
            command.opaque(f"what {spec.name} {shown(area or verb)} does")


def database(command: Command, spec: Spec, options: Options) -> None:
    """Databases: a statement may take away what no history of ours brings back."""
    text = " ".join(command.words)
    if command.words[1:] in (["--version"], ["-V"], ["--help"]):
        return
    words = [w for w in command.words[1:] if not w.startswith("-")]
    if words and words[0] in _LOCAL_TOOLS.get(spec.name, ()):
        command.project()
        return
    if spec.name == "sqlite3":
        command.opaque("what the statement or a dot command does")
        for word in words[:1]:
            command.write(word)
        return
    settings(command, spec, options)
    always(command, spec)
    if _TAKING.search(text) or spec.name in ("dropdb", "dropuser"):
        command.effect(Verb.DELETE, "", "takes away what is stored there")
    command.out = Stream(None)
