"""Graph breaks of ``torch.compile`` and refusals of ``torch.export``, found in source and checked against torch."""

__version__ = "0.1.0"
