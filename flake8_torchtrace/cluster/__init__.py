"""An audit on a cluster of machines that see the same checkout: Dask schedules, each file is checked in a process that is watched."""
