"""A class without declared inputs, built and called from nothing: what its source, its annotations and its own error messages ask for.

Everything here runs user code and belongs in a child process, in a ``sandbox``.
"""
