"""The agent: plans, tools, models and budgets. It knows no chat platform."""
