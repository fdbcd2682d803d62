"""The rules: one file a rule, one rule a file. A new file here is found without being listed anywhere."""
