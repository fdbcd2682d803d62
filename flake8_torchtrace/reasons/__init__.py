"""What torch does with the examples of the rules: running them, the recorded tables, and what follows for a finding."""
