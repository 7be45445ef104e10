"""The sandbox as a tool of other frameworks, a module for each. Nothing here is imported by the product."""
