"""Reading code without running it: what is traced, what is a tensor, and where a rule's construct stands."""
