"""Where a module and its arguments come from: functions in the linted file, or a recipes file.

Everything but ``declared`` runs user code and belongs in a child process.
"""
