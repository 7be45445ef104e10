"""The proof of a policy: what a container says of itself, held against what the policy promises."""
