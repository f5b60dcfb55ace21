"""The Agent Workbench: supervise coding agents in a browser."""

__version__ = "0.1.0"
