"""Scripts in E2B's cloud instead of containers of ours: one microVM of theirs per lease. Extra `e2b`.

What holds of what the sandbox promises: nothing of one lease is seen by another, no script
reaches this host but by what it prints and leaves in out/, all of which counts as hostile here, and no script
reaches the internet (`allow_internet_access=False`, always, whatever the policy says of the network).

What holds of the policy, as the tool beside the scripts enforces it from inside the same machine:
`resources.timeout`, `grace`, `session`, `out`, `stdout`; `container.interpreters`; and `pool.limit`, as the
number of machines at once. A script that takes over its own machine (E2B's user may use sudo) escapes these,
then `grace` and `session` end the lease from here, and `out` is checked again on arrival.

What does not hold, because it is E2B's or the template's: memory, processors, processes, the size of /tmp,
image, packages, seccomp, user, runtime, the list of commands, and read-only input/, code/ and skills/, whose
copies there a script may change for itself. No audit hook reports sockets or programs, and there is no pool.
Their SDK puts no bound on one message of a machine: one that was taken over can cost this process memory.
Sources, inputs and outputs go to E2B: where data must not leave, this is not the sandbox to use.
"""
