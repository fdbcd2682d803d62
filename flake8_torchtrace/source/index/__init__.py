"""The project index: what a file needs to know of the other files of its project, kept in a SQLite file and brought up to date before a run.

`update` analyses the project's files, without running them, as one program: a call that leaves a file is evaluated in the file that
defines the callee. What one file learned of another is a *question* with an *answer*, and which calls were traced is remembered with them;
linting then only looks answers up.
"""
